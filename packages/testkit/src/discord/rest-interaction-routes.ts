/** Routes that answer interactions; they carry their token in the path. */
import { editBotMessage, postBotMessage, type MessageBody } from './bot-messages.ts';
import type { Interaction } from './interaction-desk.ts';
import { showMessage } from './message-shape.ts';
import { idParam, type FakeParts, type RestAnswer, type RestCall, type RestRoute } from './rest-call.ts';
import { invalidField, refuse } from './rest-refusal.ts';
import type { StoredMessage } from './world.ts';

const size = { limit: 5, windowMs: 2000 };
const webhook = '/webhooks/{webhook_id}/{webhook_token}';
const original = `${webhook}/messages/@original`;

export const interactionRoutes: readonly RestRoute[] = [
  {
    method: 'POST',
    template: '/interactions/{interaction_id}/{interaction_token}/callback',
    size,
    open: true,
    run: takeFirstAnswer,
  },
  { method: 'GET', template: original, size, open: true, run: getOriginal },
  { method: 'PATCH', template: original, size, open: true, run: editOriginal },
  { method: 'DELETE', template: original, size, open: true, run: deleteOriginal },
  { method: 'POST', template: webhook, size, open: true, run: followUp },
];

const ephemeralFlag = 1 << 6;
const loadingFlag = 1 << 7;

function takeFirstAnswer(call: RestCall, parts: FakeParts): RestAnswer {
  const { type, data } = call.body as { type: number; data?: MessageBody };
  const token = call.params['interaction_token'] ?? '';
  const interaction = parts.desk.answer(idParam(call, 'interaction_id'), token, type);
  refuseWrongType(interaction, type);
  if (type === 4)
    interaction.messageId = post(parts, interaction, { body: data ?? {}, files: call.files }).id;
  if (type === 5) interaction.messageId = storeThinking(parts, interaction, data?.flags ?? 0).id;
  if (call.query.get('with_response') !== 'true') return { status: 204 };
  return { status: 200, body: callbackReport(parts, interaction, type) };
}

/** Autocomplete takes only type 8, and nothing else does; a modal cannot follow a modal. */
function refuseWrongType(interaction: Interaction, type: number): void {
  const allowed =
    interaction.kind === 4
      ? [8]
      : interaction.kind === 2
        ? [4, 5, 9]
        : interaction.kind === 3
          ? [4, 5, 6, 7, 9]
          : [4, 5, 6, 7];
  if (allowed.includes(type)) return;
  interaction.answeredWith = undefined;
  throw invalidField(
    'type',
    'INTERACTION_APPLICATION_COMMAND_CALLBACK_TYPE_INVALID',
    `Type ${type} does not answer an interaction of type ${interaction.kind}.`,
  );
}

interface Words {
  body: MessageBody;
  files: RestCall['files'];
}

function post(parts: FakeParts, interaction: Interaction, words: Words): StoredMessage {
  const channel = parts.world.channel(interaction.channelId);
  return postBotMessage(parts, {
    channel,
    body: words.body,
    files: words.files,
    interactionId: interaction.id,
  });
}

/** The "is thinking" message of type 5: empty, with the loading flag, no message of ours in `sent` yet. */
function storeThinking(parts: FakeParts, interaction: Interaction, flags: number): StoredMessage {
  const message: StoredMessage = {
    id: parts.nextId(),
    channelId: interaction.channelId,
    type: 20,
    author: parts.botUser,
    content: '',
    createdMs: parts.settings.clock.now(),
    flags: loadingFlag | (flags & ephemeralFlag),
    tts: false,
    pinned: false,
    embeds: [],
    components: [],
    attachments: [],
    mentions: [],
    mentionRoles: [],
    mentionEveryone: false,
    ownReactions: new Set(),
    interactionId: interaction.id,
  };
  parts.world.store(message);
  return message;
}

function callbackReport(parts: FakeParts, interaction: Interaction, type: number): unknown {
  const { id, kind, messageId } = interaction;
  const message = messageId === undefined ? undefined : parts.world.message(interaction.channelId, messageId);
  const base = { id, type: kind, response_message_id: messageId, response_message_loading: type === 5 };
  return {
    interaction: { ...base, response_message_ephemeral: ((message?.flags ?? 0) & ephemeralFlag) !== 0 },
    resource: { type, ...(message === undefined ? {} : { message: showMessage(parts, message) }) },
  };
}

function originalOf(call: RestCall, parts: FakeParts): StoredMessage {
  if (call.params['webhook_id'] !== parts.settings.applicationId) throw refuse.unknownWebhook();
  const interaction = parts.desk.followUp(call.params['webhook_token'] ?? '');
  const message = parts.world.message(interaction.channelId, interaction.messageId ?? '');
  if (message === undefined) throw refuse.unknownMessage();
  return message;
}

function getOriginal(call: RestCall, parts: FakeParts): RestAnswer {
  return { status: 200, body: showMessage(parts, originalOf(call, parts)) };
}

function editOriginal(call: RestCall, parts: FakeParts): RestAnswer {
  const message = originalOf(call, parts);
  const body = (call.body ?? {}) as MessageBody;
  const wasThinking = (message.flags & loadingFlag) !== 0;
  // The loading flag ends with the first text; whether only the user sees it was fixed at defer time.
  const flags = (body.flags ?? 0) | (message.flags & ephemeralFlag);
  const shown = editBotMessage(parts, message, { body: { ...body, flags }, files: call.files });
  if (wasThinking) parts.sentBox.added(message, body.allowed_mentions as Record<string, unknown> | undefined);
  return { status: 200, body: shown };
}

function deleteOriginal(call: RestCall, parts: FakeParts): RestAnswer {
  const message = originalOf(call, parts);
  parts.world.remove(message.channelId, message.id);
  parts.sentBox.removed(message);
  return { status: 204 };
}

function followUp(call: RestCall, parts: FakeParts): RestAnswer {
  if (call.params['webhook_id'] !== parts.settings.applicationId) throw refuse.unknownWebhook();
  const interaction = parts.desk.followUp(call.params['webhook_token'] ?? '');
  const message = post(parts, interaction, { body: (call.body ?? {}) as MessageBody, files: call.files });
  return { status: 200, body: showMessage(parts, message) };
}
