/** The bot's sign under a person's message. */
import type { MessageRef, ReactionSign } from '@palimpsest/core';
import { DiscordAPIError, type REST, Routes } from 'discord.js';

export const unknownMessage = 10_008;
const unknownEmoji = 10_014;

const signs: Readonly<Record<ReactionSign, string>> = {
  seen: '👀',
  answered: '✅',
  stopped: '🛑',
  failed: '❌',
};

/** Add the sign and take the first one away, in this order, so that there is always one. Throws what the library throws. */
export async function showSign(
  rest: REST,
  { message, sign }: { message: MessageRef; sign: ReactionSign },
  signal: AbortSignal,
): Promise<void> {
  const route = (emoji: string) =>
    Routes.channelMessageOwnReaction(
      message.place.chatId,
      message.platformMessageId,
      encodeURIComponent(emoji),
    );
  await rest.put(route(signs[sign]), { signal });
  if (sign !== 'seen') await rest.delete(route(signs.seen), { signal }).catch(unlessCode(unknownEmoji));
}

/** For `catch`: what is not there any more need not be taken away. */
export function unlessCode(code: number): (thrown: unknown) => void {
  return (thrown) => {
    if (!(thrown instanceof DiscordAPIError) || thrown.code !== code) throw thrown;
  };
}
