/** Shows answers while they are written: text of turn_progress → previews in the chat, throttled. */
import { accountKey, never, type SendResult, type WrittenSoFar } from '@palimpsest/core';
import type { Lanes } from './lanes.ts';
import { draftOf, editOf, type Showing, type Shown } from './show-answer.ts';
import { StreamPace } from './stream-pace.ts';
import { wayOfStreaming } from './way-of-streaming.ts';

/** Well below the shortest interval between two changes; one small query an account. */
const lookEveryMs = 400;

interface Streaming extends Showing {
  lanes: Lanes<number>;
  pace: StreamPace;
}

/** Until the signal fires, while this process holds the account's sender lease. A preview is never worth an error. */
export async function streamAnswers(streaming: Omit<Streaming, 'pace'>): Promise<void> {
  const { deps, sender, signal } = streaming;
  const config = wayOfStreaming(deps.config, sender);
  if (config === null) return;
  const account = accountKey(sender.account);
  const all: Streaming = { ...streaming, pace: new StreamPace(config) };
  let shown = new Map<string, Shown>();
  while (!signal.aborted) {
    try {
      const holder = await deps.store.leases.holder(`sender:${account}`);
      if (holder?.owner === deps.owner)
        shown = lookAtAll(all, await deps.store.outbox.writtenSoFar(account), shown);
    } catch {
      // The next look is soon.
    }
    await deps.clock.sleep(lookEveryMs, signal);
  }
}

/** Begin what is due in chats where nothing is on its way; turns that are gone are forgotten. */
function lookAtAll(
  streaming: Streaming,
  written: readonly WrittenSoFar[],
  before: ReadonlyMap<string, Shown>,
): Map<string, Shown> {
  const known = new Map<string, Shown>();
  for (const turn of written) {
    const shown = before.get(turn.turnId) ?? { texts: [], previews: [], isOver: false, changedAtMs: 0 };
    known.set(turn.turnId, shown);
    const { chatRowId } = turn.chat;
    if (shown.isOver || streaming.lanes.isBusy(chatRowId)) continue;
    void streaming.lanes.run(chatRowId, () => showTurn(streaming, turn, shown)).catch(() => {});
  }
  // A turn that is silent for a while comes back with what it has shown.
  for (const [turnId, shown] of before)
    if (!known.has(turnId) && isYoung(streaming, shown)) known.set(turnId, shown);
  return known;
}

function isYoung({ deps }: Streaming, shown: Shown): boolean {
  return deps.clock.now().getTime() - shown.changedAtMs < 3_600_000;
}

async function showTurn(streaming: Streaming, turn: WrittenSoFar, shown: Shown): Promise<void> {
  const { deps, pace } = streaming;
  const nowMs = deps.clock.now().getTime();
  const way = pace.wayFor(turn.chat.place.kind);
  if (way === 'off' || nowMs < shown.changedAtMs + pace.everyMs(turn.chat)) return;
  const change = way === 'draft' ? draftOf(streaming, turn, shown) : editOf(streaming, turn, shown);
  // Whoever asks now and is told that it runs is in the lane before the answer.
  if (change === null || !(await deps.store.outbox.turnRuns(turn.sessionId, turn.turnId))) return;
  shown.changedAtMs = nowMs;
  const result = await change();
  if (result !== null) await take(streaming, { turn, shown, result });
}

interface Taken {
  turn: WrittenSoFar;
  shown: Shown;
  result: SendResult;
}

async function take(streaming: Streaming, { turn, shown, result }: Taken): Promise<void> {
  const { deps, sender, pace } = streaming;
  const { outbox } = deps.store;
  const { platform } = sender.account;
  switch (result.kind) {
    case 'sent':
      deps.meter.count('gateway_delivery_attempts_total', { platform, kind: 'preview', outcome: 'sent' });
      return pace.went(turn.chat);
    case 'wait':
      // The answer itself needs what is left of the limit.
      shown.isOver = true;
      pace.tooFast(turn.chat);
      deps.meter.count('gateway_rate_limited_total', { platform, scope: result.scope });
      return outbox.closeGate(turn.chat, { waitMs: result.waitMs, gate: result.scope });
    case 'moved':
      return outbox.moveChat(turn.chat.chatRowId, result.toChatId);
    case 'unreachable':
      shown.isOver = true;
      return outbox.markUnreachable(turn.chat.chatRowId, result.message);
    case 'unknown':
      // Where a message may be out twice, nothing more is tried before the answer itself.
      shown.isOver = !sender.repeatIsSafe;
      return;
    case 'retry':
      return;
    case 'failed':
    case 'file_refused':
      shown.isOver = true;
      return;
    default:
      return never(result);
  }
}
