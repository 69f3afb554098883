import { tierOfTurn } from '@palimpsest/agent';
import { busyModes, notice, type BusyMode, type Signal, type Turn, type WaitingMail } from '@palimpsest/core';
import { busyModeOf } from '../busy-mode.ts';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayIn, type Say } from '../words/say.ts';

/** Goes back to what the configuration says. */
const defaultWord = 'default';

const meanings = {
  collect: 'queueCollect',
  followup: 'queueFollowup',
  interrupt: 'queueInterrupt',
  steer: 'queueSteer',
} as const satisfies Record<BusyMode, string>;

/** /queue: what waits, and what becomes of it; with the name of a mode: that one from now on, the running turn included. */
export async function queueCommand(
  claimed: ClaimedSession,
  signal: Signal,
  running: Turn | null,
): Promise<string> {
  const say = sayIn(signal.chat);
  const wish = signal.argument.trim().toLowerCase();
  if (wish !== '') return notice(await choose(claimed, { signal, wish, say }));
  const waiting = await claimed.deps.store.turns.waitingMail(claimed.session.id);
  return notice(`${waitingText(say, waiting, running)} ${modeText(claimed, say)}`);
}

async function choose(
  claimed: ClaimedSession,
  { signal, wish, say }: { signal: Signal; wish: string; say: Say },
): Promise<string> {
  const mode = busyModes.find((name) => name === wish);
  if (mode === undefined && wish !== defaultWord)
    return say('queueNoMode', { mode: say('quoted', { text: wish }), modes: busyModes.join(', ') });
  if (!mayChoose(claimed, signal)) return say('queueAdminsOnly');
  await claimed.deps.store.turns.patchSession(claimed.lease, { busyMode: mode });
  claimed.view.session = { ...claimed.session, busyMode: mode };
  return modeText(claimed, say);
}

/** It changes the answers to everybody there. */
function mayChoose({ deps }: ClaimedSession, { chat, senderId }: Signal): boolean {
  if (chat.place.kind === 'direct') return true;
  const session = { platform: chat.account.platform, chatKind: chat.place.kind };
  return tierOfTurn({ session, senderIds: [senderId] }, deps.config) === 'admin';
}

function modeText(claimed: ClaimedSession, say: Say): string {
  const mode = busyModeOf(claimed);
  const why = say(claimed.session.busyMode === undefined ? 'bySetting' : 'chosenHere');
  return say('queueMode', { what: say(meanings[mode]), mode, why });
}

/** What waits behind the answer being written, never what it says. */
function waitingText(say: Say, waiting: WaitingMail, running: Turn | null): string {
  const { messages, oldestMs, commands } = waiting;
  const now = say(running ? 'answerRuns' : 'noAnswerRuns');
  if (messages === 0 && commands.length === 0) return `${now} ${say('nothingWaits')}`;
  const what = [
    ...(messages > 0 ? [say.counted(messages, 'message')] : []),
    ...(commands.length > 0 ? [commands.map((name) => `/${name}`).join(', ')] : []),
  ].join(` ${say('and')} `);
  const verb = messages + commands.length === 1 ? 'oneWaits' : 'severalWait';
  return `${now} ${say(verb, { what, time: say.duration(oldestMs) })}`;
}
