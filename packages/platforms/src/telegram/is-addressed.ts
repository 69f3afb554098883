/** Whether a group message is meant for the bot. */
import { idIn, isObject, objectIn, objectsIn, textIn, type JsonObject } from './read-json.ts';
import type { BotIdentity } from './bot-identity.ts';

/** Mentions the bot (by name, by account, in /command@name) or answers one of its messages. */
export function isAddressed(message: JsonObject, bot: BotIdentity): boolean {
  return answersBot(message, bot) || mentionsBot(message, bot);
}

function answersBot(message: JsonObject, bot: BotIdentity): boolean {
  const reply = objectIn(message.reply_to_message);
  // Every message of a topic "answers" the notice that opened it, even if a bot opened it.
  if (!reply || isObject(reply.forum_topic_created)) return false;
  return idIn(objectIn(reply.from)?.id) === bot.id;
}

function mentionsBot(message: JsonObject, bot: BotIdentity): boolean {
  const text = textIn(message.text) ?? textIn(message.caption) ?? '';
  const entities = [...objectsIn(message.entities), ...objectsIn(message.caption_entities)];
  return entities.some((entity) => namesBot(entity, text, bot));
}

function namesBot({ type, user, offset, length }: JsonObject, text: string, bot: BotIdentity): boolean {
  if (type === 'text_mention') return idIn(objectIn(user)?.id) === bot.id;
  if (type !== 'mention' && type !== 'bot_command') return false;
  const words = text.slice(Number(offset), Number(offset) + Number(length)).toLowerCase();
  return words.endsWith(`@${bot.username.toLowerCase()}`);
}
