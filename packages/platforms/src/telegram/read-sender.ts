/** Who wrote a message. */
import type { Sender } from '@palimpsest/core';
import { idIn, objectIn, textIn, type JsonObject } from './read-json.ts';

/**
 * The account, or the chat in whose name was written: anonymous admins write as their group and channels as
 * themselves; their `from` is one account that Telegram uses for all of them, so it would let in everybody.
 */
export function readSender(message: JsonObject): Sender | null {
  return readSenderChat(message) ?? readUser(objectIn(message.from));
}

/** First and last name, else title, else the user name. */
export function nameOf(account: JsonObject): string | null {
  const names = [textIn(account.first_name), textIn(account.last_name)].filter((name) => name !== null);
  return textIn(names.join(' ')) ?? textIn(account.title) ?? textIn(account.username);
}

function readSenderChat(message: JsonObject): Sender | null {
  const chat = objectIn(message.sender_chat);
  const id = idIn(chat?.id);
  if (!chat || id === null) return null;
  return { id, name: textIn(message.author_signature) ?? nameOf(chat) ?? id, isBot: false };
}

function readUser(user: JsonObject | null): Sender | null {
  const id = idIn(user?.id);
  if (!user || id === null) return null;
  const language = textIn(user.language_code);
  return {
    id,
    name: nameOf(user) ?? id,
    isBot: user.is_bot === true,
    ...(language !== null && { language }),
  };
}
