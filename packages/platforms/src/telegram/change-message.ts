/** Calls that change what is there already: the text of a message of ours, the sign under one of a person. */
import type { MessageRef, OutgoingPart, ReactionSign } from '@palimpsest/core';
import type { Api } from 'grammy';
import type { MessageEntity, ReactionTypeEmoji } from 'grammy/types';
import type { clientSignal } from './telegram-account.ts';

type ClientSignal = ReturnType<typeof clientSignal>;

/** Of the list that Telegram allows; a check mark is not among it. */
const signs: Readonly<Record<ReactionSign, ReactionTypeEmoji['emoji']>> = {
  seen: '👀',
  answered: '👍',
  stopped: '👌',
  failed: '💔',
};

/** Put the part's text in the place of the message's. Throws what grammY throws. */
export async function changePart(
  api: Api,
  part: OutgoingPart & { platformMessageId: string },
  signal: ClientSignal,
): Promise<void> {
  const { place, platformMessageId, text, form } = part;
  const options = {
    link_preview_options: { is_disabled: true },
    ...(form?.kind === 'entities' && { entities: [...form.entities] as MessageEntity[] }),
  };
  await api.editMessageText(Number(place.chatId), Number(platformMessageId), text, options, signal);
}

/** The one reaction that a bot may have under a message; Telegram puts it in the place of the one before. */
export async function showSign(
  api: Api,
  { message, sign }: { message: MessageRef; sign: ReactionSign },
  signal: ClientSignal,
): Promise<void> {
  const { place, platformMessageId } = message;
  const reaction: ReactionTypeEmoji = { type: 'emoji', emoji: signs[sign] };
  await api.setMessageReaction(Number(place.chatId), Number(platformMessageId), [reaction], {}, signal);
}
