/** Which chats have topics: only there the General topic has an id of its own for "typing". */
import { idIn, isObject, objectIn } from './read-json.ts';

/** The chat of a message if it is a forum, else null. */
export function forumOf(update: unknown): string | null {
  const chat = isObject(update) ? objectIn(objectIn(update.message)?.chat) : null;
  return chat?.is_forum === true ? idIn(chat.id) : null;
}
