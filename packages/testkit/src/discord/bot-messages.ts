/** The bot writes: what a message body must satisfy, nonce repeats, replies, uploads and edits. */
import { showMessage, showMessageEvent } from './message-shape.ts';
import { pingedBy, type AllowedMentions } from './mentions.ts';
import type { UploadedFile } from './request-body.ts';
import type { FakeParts } from './rest-call.ts';
import { invalidField, refuse } from './rest-refusal.ts';
import type { WireObject } from './wire-shape.ts';
import type { FakeChannel, FakeUser, StoredAttachment, StoredMessage } from './world.ts';

/** Body of a created or edited message, after the schema check; null and missing mean the same. */
export interface MessageBody {
  content?: string | null;
  nonce?: string | number | null;
  enforce_nonce?: boolean | null;
  tts?: boolean | null;
  flags?: number | null;
  embeds?: unknown[] | null;
  components?: unknown[] | null;
  sticker_ids?: string[] | null;
  poll?: unknown;
  allowed_mentions?: AllowedMentions | null;
  message_reference?: {
    message_id: string;
    channel_id?: string | null;
    type?: number | null;
    fail_if_not_exists?: boolean | null;
  } | null;
  attachments?: { id: string; filename?: string | null }[] | null;
}

/** What a request says of a message: its fields and the files sent along. */
export interface MessageChange {
  body: MessageBody;
  files: readonly UploadedFile[];
}

/** Where a new message goes and what comes with it. */
export interface NewBotMessage extends MessageChange {
  channel: FakeChannel;
  interactionId?: string;
}

const maxContent = 2000;

/** Create a message of the bot, or return the first one of the same nonce. */
export function postBotMessage(parts: FakeParts, wish: NewBotMessage): StoredMessage {
  const { channel, body } = wish;
  checkLength(body.content);
  refuseLocked(channel);
  const attachments = takeFiles(parts, wish);
  if (isEmpty(body, attachments)) throw refuse.emptyMessage();
  const repeated = findByNonce(parts, body);
  if (repeated !== undefined) return repeated;
  const message = buildMessage(parts, wish, attachments);
  // Sending wakes an archived thread.
  channel.archived = false;
  parts.world.store(message);
  parts.sentBox.added(message, body.allowed_mentions as Record<string, unknown> | undefined);
  parts.gateway.dispatch('MESSAGE_CREATE', showMessageEvent(parts, message));
  return message;
}

/** Change a message of the bot; fields that are left out stay. */
export function editBotMessage(
  parts: FakeParts,
  message: StoredMessage,
  { body, files }: MessageChange,
): WireObject {
  checkLength(body.content);
  const kept = keptAttachments(message, body);
  const next = {
    content: trimmed(body.content, message.content),
    attachments: [...kept, ...takeFiles(parts, { body, files }, kept)],
  };
  if (
    isEmpty(
      {
        ...body,
        content: next.content,
        embeds: body.embeds ?? message.embeds,
        components: body.components ?? message.components,
      },
      next.attachments,
    )
  ) {
    throw refuse.emptyMessage();
  }
  Object.assign(message, next, pingedBy(next.content, body.allowed_mentions ?? undefined, parts.world), {
    embeds: body.embeds ?? message.embeds,
    components: body.components ?? message.components,
    flags: body.flags ?? message.flags,
    editedMs: parts.settings.clock.now(),
  });
  parts.sentBox.edited(message, body.allowed_mentions as Record<string, unknown> | undefined);
  parts.gateway.dispatch('MESSAGE_UPDATE', showMessageEvent(parts, message));
  return showMessage(parts, message);
}

/** Counted in code points, as Discord's staff describes it (discord-api-docs issue 1315). */
export function checkLength(content: string | null | undefined): void {
  if (content == null || [...content].length <= maxContent) return;
  throw invalidField('content', 'BASE_TYPE_MAX_LENGTH', `Must be ${maxContent} or fewer in length.`);
}

function refuseLocked(channel: FakeChannel): void {
  if (channel.archived === true && channel.locked === true) throw refuse.lockedThread();
}

/** White space at both ends is not kept; a text of nothing else counts as empty. */
function trimmed(content: string | null | undefined, before = ''): string {
  return content === undefined ? before : (content ?? '').trim();
}

function isEmpty(body: MessageBody, attachments: readonly StoredAttachment[]): boolean {
  const lists = [body.embeds, body.components, body.sticker_ids, attachments];
  const isForward = body.message_reference?.type === 1;
  return (
    trimmed(body.content) === '' &&
    !isForward &&
    body.poll == null &&
    lists.every((list) => (list ?? []).length === 0)
  );
}

function findByNonce(parts: FakeParts, body: MessageBody): StoredMessage | undefined {
  if (body.enforce_nonce !== true || body.nonce == null) return undefined;
  const oldest = parts.settings.clock.now() - parts.settings.nonceWindowMs;
  const first = parts.sentBox.all.find(
    (sent) => String(sent.nonce) === String(body.nonce) && sent.createdMs >= oldest,
  );
  return first === undefined ? undefined : parts.world.message(first.channelId, first.id);
}

function buildMessage(parts: FakeParts, wish: NewBotMessage, attachments: StoredAttachment[]): StoredMessage {
  const { channel, body } = wish;
  const reference = findReference(parts, channel, body);
  const content = trimmed(body.content);
  const pings = pingedBy(content, body.allowed_mentions ?? undefined, parts.world);
  const target =
    reference?.forward === false ? parts.world.message(channel.id, reference.messageId) : undefined;
  if (target !== undefined && pingsReplied(body.allowed_mentions)) addMention(pings.mentions, target.author);
  return {
    id: parts.nextId(),
    channelId: channel.id,
    type: reference?.forward === false ? 19 : 0,
    author: parts.botUser,
    content,
    createdMs: parts.settings.clock.now(),
    nonce: body.nonce ?? undefined,
    flags: body.flags ?? 0,
    tts: body.tts ?? false,
    pinned: false,
    embeds: body.embeds ?? [],
    components: body.components ?? [],
    attachments,
    reference,
    ownReactions: new Set(),
    interactionId: wish.interactionId,
    ...pings,
  };
}

/** Without allowed_mentions a reply pings its author; with it, only if replied_user says so. */
function pingsReplied(allowed: AllowedMentions | null | undefined): boolean {
  return allowed == null || allowed.replied_user === true;
}

export function addMention(mentions: FakeUser[], user: FakeUser): void {
  if (!mentions.some((known) => known.id === user.id)) mentions.push(user);
}

function findReference(
  parts: FakeParts,
  channel: FakeChannel,
  body: MessageBody,
): StoredMessage['reference'] {
  const wish = body.message_reference;
  if (wish == null) return undefined;
  const place = wish.channel_id ?? channel.id;
  const forward = wish.type === 1;
  if (parts.world.message(place, wish.message_id) !== undefined)
    return { messageId: wish.message_id, channelId: place, forward };
  if (!forward && wish.fail_if_not_exists === false) return undefined;
  throw invalidField('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
}

function keptAttachments(message: StoredMessage, body: MessageBody): StoredAttachment[] {
  if (body.attachments == null) return message.attachments;
  return message.attachments.filter((attachment) =>
    body.attachments?.some((wish) => wish.id === attachment.id),
  );
}

/** Uploaded files in order; an `attachments` entry without a file of the same number is refused. */
function takeFiles(
  parts: FakeParts,
  { body, files }: MessageChange,
  kept: readonly StoredAttachment[] = [],
): StoredAttachment[] {
  for (const wish of body.attachments ?? []) {
    if (kept.some((attachment) => attachment.id === wish.id) || files.some((file) => file.index === wish.id))
      continue;
    parts.violations.push(`rest: attachments names id ${wish.id}, but the request has no files[${wish.id}]`);
    throw invalidField('attachments', 'INVALID_ATTACHMENT_REFERENCE', `Attachment ${wish.id} has no file.`);
  }
  return files.map((file) => {
    const named = body.attachments?.find((wish) => wish.id === file.index)?.filename;
    return {
      id: parts.nextId(),
      filename: named ?? file.filename,
      contentType: file.contentType,
      bytes: file.bytes,
    };
  });
}
