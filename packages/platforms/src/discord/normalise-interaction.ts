/** A slash command becomes a message with a command of ours. */
import type { IncomingMessage, Interaction, Sender } from '@palimpsest/core';
import { chatPlace } from './chat-place.ts';
import {
  listOfFields,
  optionalFields,
  optionalText,
  requiredFields,
  requiredText,
  type Fields,
} from './read-fields.ts';

const applicationCommand = 2;
/** Discord's ids begin with the milliseconds since then. */
const discordEpochMs = 1_420_070_400_000n;
/** Discord says 15 minutes; the last of them may pass on the way. */
const tokenLifeMs = 14.5 * 60_000;

/** The interaction of a slash command; null for every other kind. Throws FieldProblem. */
export function readInteraction(data: Fields): Interaction | null {
  if (data['type'] !== applicationCommand) return null;
  const id = requiredText(data, 'id');
  return {
    id,
    applicationId: requiredText(data, 'application_id'),
    token: requiredText(data, 'token'),
    expiresAtMs: createdMs(id) + tokenLifeMs,
  };
}

/** Throws FieldProblem. */
export function normaliseInteraction(data: Fields, interaction: Interaction): IncomingMessage {
  const command = requiredFields(data, 'data');
  const name = requiredText(command, 'name').toLowerCase();
  const argument = listOfFields(command, 'options')
    .map((option) => String(option['value'] ?? ''))
    .join(' ')
    .trim();
  return {
    kind: 'message',
    chat: chatPlace(data, optionalFields(data, 'channel')?.['type']),
    sender: senderOf(data),
    messageId: interaction.id,
    text: `/${name} ${argument}`.trim(),
    sentAt: new Date(createdMs(interaction.id)),
    addressed: true,
    command: { name, argument },
    interaction,
  };
}

function createdMs(id: string): number {
  return /^\d+$/.test(id) ? Number((BigInt(id) >> 22n) + discordEpochMs) : 0;
}

/** In a server who asks stands inside the member, else beside. */
function senderOf(data: Fields): Sender {
  const member = optionalFields(data, 'member');
  const user = requiredFields(member ?? data, 'user');
  const id = requiredText(user, 'id');
  const nick = optionalText(member ?? {}, 'nick');
  const name = nick || optionalText(user, 'global_name') || optionalText(user, 'username') || id;
  const locale = optionalText(data, 'locale');
  return { id, name, isBot: user['bot'] === true, ...(locale && { language: locale }) };
}
