/** The few Bot API objects that the fake builds itself; every other field travels as unknown. */

/** A Telegram account, bot or person. */
export interface User {
  id: number;
  is_bot: boolean;
  first_name: string;
  username?: string;
  [field: string]: unknown;
}

/** A chat as it stands inside messages. */
export interface Chat {
  id: number;
  type: 'private' | 'group' | 'supergroup' | 'channel';
  title?: string;
  username?: string;
  first_name?: string;
  is_forum?: boolean;
  [field: string]: unknown;
}

/** A formatted stretch of text; offset and length count UTF-16 units. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  user?: User;
  language?: string;
  custom_emoji_id?: string;
}

/** Text with its entities, after parsing. */
export interface FormattedText {
  text: string;
  entities: Entity[];
}

/** One button of an inline keyboard. */
export interface InlineButton {
  text: string;
  callback_data?: string;
  [field: string]: unknown;
}

/** Inline keyboard, or one of the other three kinds of reply markup. */
export interface ReplyMarkup {
  inline_keyboard?: InlineButton[][];
  [field: string]: unknown;
}

/** A message; date and edit_date are Unix seconds. */
export interface Message {
  message_id: number;
  date: number;
  chat: Chat;
  from?: User;
  text?: string;
  entities?: Entity[];
  caption?: string;
  caption_entities?: Entity[];
  reply_to_message?: Message;
  message_thread_id?: number;
  is_topic_message?: boolean;
  edit_date?: number;
  reply_markup?: ReplyMarkup;
  [field: string]: unknown;
}

/** An update: its id and exactly one further field. */
export interface Update {
  update_id: number;
  [kind: string]: unknown;
}

/** Where the fake reads the time. */
export interface FakeTelegramClock {
  now(): Date;
}

/** Parameters of a call after its transport coding was undone. */
export type Params = Record<string, unknown>;

/** True for plain objects, false for null and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
