import { tierOfTurn } from '@palimpsest/agent';
import { busyModes, notice, type BusyMode, type Signal, type Turn, type WaitingMail } from '@palimpsest/core';
import { busyModeOf } from '../busy-mode.ts';
import type { ClaimedSession } from '../claimed-session.ts';
import { counted, durationWords } from './duration-words.ts';

/** Goes back to what the configuration says. */
const defaultWord = 'default';

const meanings: Readonly<Record<BusyMode, string>> = {
  collect: 'what you send meanwhile is answered together, right after',
  followup: 'what you send meanwhile is answered one by one, right after',
  interrupt: 'a new message stops the answer and is answered at once',
  steer: 'what you send meanwhile reaches the answer at its next step, else it is answered right after',
};

/** /queue: what waits, and what becomes of it; with the name of a mode: that one from now on, the running turn included. */
export async function queueCommand(
  claimed: ClaimedSession,
  signal: Signal,
  running: Turn | null,
): Promise<string> {
  const wish = signal.argument.trim().toLowerCase();
  if (wish !== '') return notice(await choose(claimed, signal, wish));
  const waiting = await claimed.deps.store.turns.waitingMail(claimed.session.id);
  return notice(`${waitingText(waiting, running)} ${modeText(claimed)}`);
}

async function choose(claimed: ClaimedSession, signal: Signal, wish: string): Promise<string> {
  const mode = busyModes.find((name) => name === wish);
  if (mode === undefined && wish !== defaultWord)
    return `There is no mode ${JSON.stringify(wish)}; nothing is changed. ${namesText}`;
  if (!mayChoose(claimed, signal))
    return 'In a group only the operators of this bot change what becomes of messages that wait; nothing is changed.';
  await claimed.deps.store.turns.patchSession(claimed.lease, { busyMode: mode });
  claimed.view.session = { ...claimed.session, busyMode: mode };
  return modeText(claimed);
}

/** It changes the answers to everybody there. */
function mayChoose({ deps }: ClaimedSession, { chat, senderId }: Signal): boolean {
  if (chat.place.kind === 'direct') return true;
  const session = { platform: chat.account.platform, chatKind: chat.place.kind };
  return tierOfTurn({ session, senderIds: [senderId] }, deps.config) === 'admin';
}

function modeText(claimed: ClaimedSession): string {
  const mode = busyModeOf(claimed);
  const why =
    claimed.session.busyMode === undefined ? 'as the service is set' : 'chosen for this conversation';
  return `While I write, ${meanings[mode]} (${mode}, ${why}).`;
}

const namesText = `There are: ${busyModes.join(', ')}; ${defaultWord} goes back to the setting of the service.`;

/** What waits behind the answer being written, never what it says. */
function waitingText({ messages, oldestMs, commands }: WaitingMail, running: Turn | null): string {
  const now = running ? 'An answer is being written; /stop ends it.' : 'Nothing is running.';
  if (messages === 0 && commands.length === 0) return `${now} Nothing waits.`;
  const what = [
    ...(messages > 0 ? [counted(messages, 'message')] : []),
    ...(commands.length > 0 ? [commands.map((name) => `/${name}`).join(', ')] : []),
  ];
  const verb = messages + commands.length === 1 ? 'waits' : 'wait';
  return `${now} ${what.join(' and ')} ${verb}, the oldest for ${durationWords(oldestMs)}.`;
}
