/** Shows answers while they are written: text of turn_progress → previews in the chat, throttled. */
import { createHash } from 'node:crypto';
import { accountKey, never, type PlatformSender, type SendResult, type WrittenSoFar } from '@palimpsest/core';
import type { ChatLanes } from './chat-lanes.ts';
import type { GatewayDeps } from './deps.ts';
import { StreamPace } from './stream-pace.ts';
import { wayOfStreaming } from './way-of-streaming.ts';

/** Well below the shortest interval between two changes; one small query an account. */
const lookEveryMs = 400;
/** Telegram takes a draft away after 30 s. */
const draftFadesMs = 20_000;
/** Previews are kept to so many messages where answers never become a file. */
const mostMessages = 10;

/** What is known here of a turn's previews; a process that takes over begins with nothing and shows everything anew. */
interface Shown {
  /** Texts of the previews, in order. */
  texts: (string | undefined)[];
  /** No more of this turn: its answer itself comes at the end. */
  isOver: boolean;
  changedAtMs: number;
}

export interface Streaming {
  deps: GatewayDeps;
  sender: PlatformSender;
  lanes: ChatLanes;
  pace: StreamPace;
  signal: AbortSignal;
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
    const shown = before.get(turn.turnId) ?? { texts: [], isOver: false, changedAtMs: 0 };
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

type Change = () => Promise<SendResult | null>;

/** The newest piece of the text in a draft; null when it is seen already. */
function draftOf({ deps, sender, signal }: Streaming, turn: WrittenSoFar, shown: Shown): Change | null {
  const text = sender.split(turn.text, 'markdown', { noFile: true }).at(-1)?.text ?? '';
  const isFading = deps.clock.now().getTime() - shown.changedAtMs > draftFadesMs;
  if (text === '' || (text === shown.texts[0] && !isFading)) return null;
  return async () => {
    const draft = { place: turn.chat.place, draftId: draftIdOf(turn.turnId), text };
    const result = (await sender.draft?.(draft, signal)) ?? null;
    if (result?.kind === 'sent') shown.texts[0] = text;
    // It is an extra: at the first trouble the answer is left to come as it is.
    else shown.isOver = true;
    return result;
  };
}

/** The same for all attempts of a turn, so that two processes change one draft; never 0. */
function draftIdOf(turnId: string): number {
  return (createHash('sha256').update(turnId).digest().readUInt32BE() >>> 1) + 1;
}

/** The first message whose text is not the wanted one: earlier ones are finished before the next is opened. */
function editOf(streaming: Streaming, turn: WrittenSoFar, shown: Shown): Change | null {
  const { deps, sender } = streaming;
  const { file_over_parts: most } = deps.config.platforms[sender.account.platform as 'telegram' | 'discord'];
  const texts = sender
    .split(turn.text, 'markdown', { noFile: true })
    .slice(0, most || mostMessages)
    .map(({ text }) => text);
  const index = texts.findIndex((text, at) => text !== shown.texts[at]);
  const text = texts[index];
  if (text === undefined) return null;
  return async () => {
    const result = await showText(streaming, turn, { index, text });
    if (result?.kind === 'sent') shown.texts[index] = text;
    return result;
  };
}

/** Change the message at that place, or send it. Null: nothing came of it, and nothing is known to be wrong. */
async function showText(
  { deps, sender, signal }: Streaming,
  turn: WrittenSoFar,
  { index, text }: { index: number; text: string },
): Promise<SendResult | null> {
  const { outbox } = deps.store;
  const { place } = turn.chat;
  const there = turn.previews[index];
  if (there && there.platformMessageId !== null) {
    const { nonce, platformMessageId } = there;
    return (await sender.edit?.({ place, text, nonce, platformMessageId }, signal)) ?? null;
  }
  // One that may be out is only sent again where it cannot become two.
  if (there && !sender.repeatIsSafe) return { kind: 'unknown', message: 'a preview may be out' };
  const preview = there ?? (await outbox.openPreview(turn));
  if (preview === null) return null;
  const replyToMessageId = index === 0 && place.kind === 'group' ? turn.answersMessageId : undefined;
  const { nonce, partId } = preview;
  const result = await sender.send(
    { place, text, nonce, replyToMessageId, mayBeOut: there !== undefined },
    signal,
  );
  if (result.kind === 'sent') await outbox.previewShown(partId, result.platformMessageId);
  else if (result.kind !== 'unknown') await outbox.previewShown(partId, null);
  return result;
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
