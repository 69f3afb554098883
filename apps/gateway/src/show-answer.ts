/** The next request that brings what a chat shows nearer to what a turn has written. */
import type { PlatformSender, Preview, SendResult, WrittenSoFar } from '@palimpsest/core';
import { draftIdOf } from '@palimpsest/turn';
import type { GatewayDeps } from './deps.ts';
import { observeFirstVisible } from './measure-sent.ts';

/** Previews are kept to so many messages where answers never become a file. */
const mostMessages = 10;

export interface Showing {
  deps: GatewayDeps;
  sender: PlatformSender;
  signal: AbortSignal;
}

/** What is known here of a turn's previews; a process that takes over begins with nothing and shows everything anew. */
export interface Shown {
  /** Texts of the previews, in order. */
  texts: (string | undefined)[];
  /** Sent by this process; a look that began before knows less. */
  previews: (Preview | undefined)[];
  /** No more of this turn: its answer itself comes at the end. */
  isOver: boolean;
  changedAtMs: number;
}

/** One request of a preview. Null: nothing came of it, and nothing is known to be wrong. */
export type Change = () => Promise<SendResult | null>;

/** The newest piece of the text in a draft; null when it is seen already. */
export function draftOf({ sender, signal }: Showing, turn: WrittenSoFar, shown: Shown): Change | null {
  const text = sender.split(turn.text, 'markdown', { noFile: true }).at(-1)?.text ?? '';
  if (text === '' || text === shown.texts[0]) return null;
  return async () => {
    const draft = { place: turn.chat.place, draftId: draftIdOf(turn.turnId), text };
    const result = (await sender.draft?.(draft, signal)) ?? null;
    if (result?.kind === 'sent') shown.texts[0] = text;
    // It is an extra: at the first trouble the answer is left to come as it is.
    else shown.isOver = true;
    return result;
  };
}

/** The first message whose text is not the wanted one: earlier ones are finished before the next is opened. */
export function editOf(streaming: Showing, turn: WrittenSoFar, shown: Shown): Change | null {
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
    const there = shown.previews[index] ?? turn.previews[index];
    const result = await showText(streaming, turn, { index, text, there });
    if (result?.kind !== 'sent') return result;
    shown.texts[index] = text;
    shown.previews[index] = result.preview;
    return result;
  };
}

type ShownText = (SendResult & { kind: 'sent'; preview: Preview }) | Exclude<SendResult, { kind: 'sent' }>;

/** Change the message at that place, or send it. Null: nothing came of it, and nothing is known to be wrong. */
async function showText(
  { deps, sender, signal }: Showing,
  turn: WrittenSoFar,
  { index, text, there }: { index: number; text: string; there: Preview | undefined },
): Promise<ShownText | null> {
  const { outbox } = deps.store;
  const { place } = turn.chat;
  if (there && there.platformMessageId !== null) {
    const { nonce, platformMessageId } = there;
    const edited = await sender.edit?.({ place, text, nonce, platformMessageId }, signal);
    return edited?.kind === 'sent' ? { ...edited, preview: there } : (edited ?? null);
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
  if (result.kind === 'sent') {
    const { platformMessageId } = result;
    await outbox.previewShown(partId, platformMessageId);
    deps.logger.info({ turnId: turn.turnId, part: index }, 'preview sent');
    if (index === 0) observeFirstVisible(deps, { askedAt: turn.askedAt, platform: sender.account.platform });
    return { ...result, preview: { ...preview, platformMessageId } };
  }
  if (result.kind !== 'unknown') await outbox.previewShown(partId, null);
  return result;
}
