import {
  never,
  traced,
  type Markup,
  type OutboxPart,
  type OutboxReply,
  type OutgoingPart,
  type PartContent,
  type PlatformSender,
  type SendResult,
} from '@palimpsest/core';
import { sayIn } from '@palimpsest/turn';
import type { GatewayDeps } from './deps.ts';
import { loadFile, refusedText } from './load-file.ts';
import { contentOf, markRepeat } from './mark-repeat.ts';
import { countFallback, measureSent, measureWhole } from './measure-sent.ts';
import type { SignDesk } from './sign-desk.ts';

/** Attempts of one reply before it becomes a dead letter that operators see. */
const maxAttempts = 12;
const firstRetryMs = 1_000;
const longestRetryMs = 120_000;

export interface Delivery {
  deps: GatewayDeps;
  sender: PlatformSender;
  reply: OutboxReply;
  signs: Pick<SignDesk, 'replied'>;
  signal: AbortSignal;
}

/** Send what is left of one reply, part by part; every step is committed before the next one goes out. */
export async function deliverReply(delivery: Delivery): Promise<void> {
  const parts = await partsOf(delivery);
  if (parts === null) return;
  for (const part of parts) {
    if (part.state === 'sent' || part.state === 'unknown') continue;
    if (delivery.signal.aborted) return;
    if (!(await tracedPart(delivery, part))) return;
  }
  delivery.signs.replied(delivery.reply);
  measureWhole(delivery);
}

/** The stored split; made now where there is none yet, over the previews that are out. Null: one of them is not known yet. */
async function partsOf(delivery: Delivery): Promise<readonly OutboxPart[] | null> {
  const { deps, sender, reply } = delivery;
  const isPreview = ({ state }: OutboxPart): boolean => state === 'opening' || state === 'shown';
  if (reply.parts.length > 0 && !reply.parts.every(isPreview)) return reply.parts;
  if (reply.file) {
    const part: PartContent = { text: reply.text, form: { kind: 'payload', ...reply.file } };
    return deps.store.outbox.begin(reply.id, [part]);
  }
  // Empty: the turn's text became nothing, and what shows it is to be taken away.
  const split =
    reply.text === ''
      ? []
      : sender.split(reply.text, markupOf(reply), { fileCaption: sayIn(reply.chat)('restInFile') });
  const lost = reply.parts.find((part) => part.state === 'opening');
  if (lost && split.length > 0 && sender.repeatIsSafe && !(await findPreview(delivery, lost, split[0]!)))
    return null;
  return deps.store.outbox.begin(reply.id, split);
}

/** The receipt of a preview is missing: sent again with its nonce, it is the same message, and is edited like the others. */
async function findPreview(delivery: Delivery, lost: OutboxPart, content: PartContent): Promise<boolean> {
  const { deps, sender, reply, signal } = delivery;
  const part = { place: reply.chat.place, text: content.text, nonce: lost.nonce, mayBeOut: true };
  const result = await sender.send(part, signal);
  if (result.kind !== 'sent') return settle(delivery, { ...lost, mayBeOut: false }, result);
  await deps.store.outbox.previewShown(lost.id, result.platformMessageId);
  return true;
}

/** Models write Markdown; notices are our own words and commands, to be read as they stand. */
function markupOf({ kind }: OutboxReply): Markup {
  return kind === 'final' ? 'markdown' : 'plain';
}

/** A part of a reply belongs to the turn that made it, and so to the tree of the message that began the turn. */
function tracedPart(delivery: Delivery, part: OutboxPart): Promise<boolean> {
  const { reply, sender, deps } = delivery;
  const { traceparent: parent } = reply;
  if (parent === undefined) return deliverPart(delivery, part);
  const attributes = {
    'gateway.platform': sender.account.platform,
    'gateway.reply.kind': reply.kind,
    'gateway.part': part.index,
    'gateway.attempt': part.attempts + 1,
    ...(reply.turnId !== undefined && { 'gateway.turn_id': reply.turnId }),
  };
  return traced(deps, 'delivery.part', {
    parent,
    attributes,
    async work(span) {
      const goesOn = await deliverPart(delivery, part);
      span.set({ 'gateway.part.done': goesOn });
      return goesOn;
    },
  });
}

/** True: go on with the next part. */
async function deliverPart(delivery: Delivery, part: OutboxPart): Promise<boolean> {
  const { deps, sender, reply } = delivery;
  if (part.shownAs !== undefined) return deliverByEdit(delivery, { ...part, shownAs: part.shownAs });
  const file = part.form?.kind === 'payload' ? await loadFile(deps, reply, part.form) : null;
  if (file?.kind === 'said') return sayInstead(delivery, part, file.text);
  if (file?.kind === 'gone') return giveUpFile(delivery);
  // A former sender died between the request and the receipt.
  if (part.state === 'sending' && !sender.repeatIsSafe && !(await repeatUnknown(delivery, part))) return true;
  await deps.store.outbox.partSending(part);
  const result = await sender.send(
    {
      place: reply.chat.place,
      ...(part.mayBeOut && !sender.repeatIsSafe ? markRepeat(part, reply.chat) : contentOf(part)),
      replyToMessageId: part.index === 0 ? reply.replyToMessageId : undefined,
      interaction: part.index === 0 ? reply.interaction : undefined,
      nonce: part.nonce,
      mayBeOut: part.mayBeOut,
      bytes: file?.bytes,
    },
    delivery.signal,
  );
  return settle(delivery, part, result);
}

/** A preview becomes its part: changed to the final text, or taken away. Repeating either does no harm. */
async function deliverByEdit(delivery: Delivery, part: OutboxPart & { shownAs: string }): Promise<boolean> {
  const { deps, sender, reply, signal } = delivery;
  const message = { place: reply.chat.place, platformMessageId: part.shownAs };
  await deps.store.outbox.partSending(part);
  const result = await changeMessage(sender, { ...message, ...contentOf(part), nonce: part.nonce }, signal);
  if (result.kind === 'unknown') return retryLater(delivery, 'the answer of an edit was lost', false);
  if (result.kind !== 'failed') return settle(delivery, part, result);
  // Somebody deleted it, or it cannot be changed any more.
  await deps.store.outbox.forgetMessage(part.id);
  if (part.text !== '')
    return deliverPart(delivery, {
      ...part,
      shownAs: undefined,
      state: 'pending',
      attempts: part.attempts + 1,
    });
  await deps.store.outbox.partSent(part.id, part.shownAs);
  return true;
}

function changeMessage(
  sender: PlatformSender,
  part: OutgoingPart & { platformMessageId: string },
  signal: AbortSignal,
): Promise<SendResult> {
  const change = part.text === '' ? sender.remove?.(part, signal) : sender.edit?.(part, signal);
  return change ?? Promise.resolve({ kind: 'failed', message: 'the platform changes no messages' });
}

async function settle(delivery: Delivery, part: OutboxPart, result: SendResult): Promise<boolean> {
  const { deps, reply, sender } = delivery;
  const { outbox } = deps.store;
  switch (result.kind) {
    case 'sent':
      await outbox.partSent(part.id, result.platformMessageId, result.remark);
      sender.delivered?.(reply.chat.place);
      count(delivery, 'sent');
      measureSent(delivery, part, result);
      deps.logger.info({ ...namesOf(delivery, part), attempt: part.attempts + 1 }, 'part sent');
      return true;
    case 'unknown':
      return unknownResult(delivery, part);
    case 'wait':
      count(delivery, 'retry');
      deps.meter.count('gateway_rate_limited_total', {
        platform: sender.account.platform,
        scope: result.scope,
      });
      deps.meter.observe('gateway_rate_limit_wait_seconds', result.waitMs / 1000, {
        platform: sender.account.platform,
        scope: result.scope,
      });
      await outbox.wait(reply.id, {
        waitMs: result.waitMs,
        gate: result.scope,
        partMayBeOut: staysDoubtful(delivery, part),
      });
      return false;
    case 'moved':
      await outbox.moveChat(reply.chat.chatRowId, result.toChatId);
      await outbox.wait(reply.id, { waitMs: 0, gate: 'reply' });
      return false;
    case 'unreachable':
      count(delivery, 'failed');
      await outbox.markUnreachable(reply.chat.chatRowId, result.message);
      await outbox.fail(reply.id, 'failed', result.message);
      return false;
    case 'failed':
      count(delivery, 'failed');
      await outbox.fail(reply.id, 'failed', result.message);
      return false;
    case 'file_refused':
      return sendAsTexts(delivery, part, result.message);
    case 'retry':
      return retryLater(delivery, result.message, staysDoubtful(delivery, part));
    default:
      return never(result);
  }
}

/** No file there: what it stands for goes out in messages, behind the ones that are out already. */
async function sendAsTexts(delivery: Delivery, part: OutboxPart, problem: string): Promise<false> {
  const { deps, reply, sender } = delivery;
  countFallback(delivery, 'file_refused');
  if (reply.file) {
    deps.logger.warn({ replyId: reply.id, problem }, 'a file was refused; the person is told');
    return sayInstead(delivery, part, refusedText(reply, reply.file));
  }
  deps.logger.warn(
    { replyId: reply.id, problem },
    'a long answer could not be sent as a file; it is sent in parts',
  );
  const parts = sender.split(reply.text, markupOf(reply), { noFile: true });
  await deps.store.outbox.replaceRest(reply.id, parts.slice(part.index));
  await deps.store.outbox.wait(reply.id, { waitMs: 0, gate: 'chat' });
  return false;
}

/** Words in the place of a file that cannot be sent. */
async function sayInstead({ deps, reply }: Delivery, part: OutboxPart, text: string): Promise<false> {
  await deps.store.outbox.replaceRest(reply.id, [{ text }]);
  deps.logger.info({ replyId: reply.id, part: part.index }, 'a file could not be sent; the person is told');
  await deps.store.outbox.wait(reply.id, { waitMs: 0, gate: 'reply' });
  return false;
}

async function giveUpFile({ deps, reply }: Delivery): Promise<false> {
  await deps.store.outbox.fail(reply.id, 'cancelled', 'the file was erased before it was sent');
  return false;
}

/** The answer of a send was lost while we live: the same rule as after a crash. */
async function unknownResult(delivery: Delivery, part: OutboxPart): Promise<boolean> {
  const { sender } = delivery;
  if (sender.repeatIsSafe)
    return retryLater(delivery, 'the answer of the send was lost; it is repeated with the same nonce', true);
  if (await repeatUnknown(delivery, part))
    return retryLater(delivery, 'the answer of the send was lost', false);
  return true;
}

/** Where a repeat is safe the part stays `sending` while it may be out: the sender then looks in the channel first. */
function staysDoubtful({ sender }: Delivery, part: OutboxPart): boolean {
  return sender.repeatIsSafe && part.mayBeOut;
}

/** Note that a part may be out. True: it is worth a repeat (an answer); false: it counts as out (a notice). */
async function repeatUnknown(delivery: Delivery, part: OutboxPart): Promise<boolean> {
  const again = delivery.reply.kind === 'final';
  delivery.deps.logger.warn(
    namesOf(delivery, part),
    again ? 'no receipt of a part; it is sent again with a mark' : 'no receipt of a part; it counts as sent',
  );
  await delivery.deps.store.outbox.partUnknown(part.id, again);
  count(delivery, 'unknown');
  return again;
}

async function retryLater(delivery: Delivery, problem: string, partMayBeOut: boolean): Promise<false> {
  const { deps, reply } = delivery;
  count(delivery, 'retry');
  if (reply.attempts + 1 >= maxAttempts) {
    deps.logger.error(
      { replyId: reply.id, attempts: reply.attempts + 1, problem },
      'reply given up; it is a dead letter now',
    );
    await deps.store.outbox.fail(reply.id, 'dead', problem);
    return false;
  }
  const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** reply.attempts);
  await deps.store.outbox.wait(reply.id, { waitMs, gate: 'reply', partMayBeOut });
  return false;
}

/** What a line of the log says of a part, so that whoever sees a message twice finds out why it was sent. */
function namesOf({ reply }: Delivery, part: OutboxPart): object {
  return { replyId: reply.id, turnId: reply.turnId, kind: reply.kind, part: part.index };
}

function count(delivery: Delivery, outcome: 'sent' | 'retry' | 'failed' | 'unknown'): void {
  const { platform } = delivery.sender.account;
  delivery.deps.meter.count('gateway_delivery_attempts_total', {
    platform,
    kind: delivery.reply.kind,
    outcome,
  });
}
