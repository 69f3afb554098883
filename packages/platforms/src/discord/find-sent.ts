import { Routes, type REST } from 'discord.js';
import { isFields, optionalFields, optionalText, type Fields } from './read-fields.ts';

const discordEpochMs = 1_420_070_400_000;
/** Our clock and Discord's may differ. */
const clockSlackMs = 60_000;

/** The part that may be out; `firstAt` is when it was first sent, ms, if that is known. */
export interface MaybeSent {
  channelId: string;
  nonce: string;
  text: string;
  /** Of a file: texts beside files are often empty. */
  fileName?: string;
  firstAt: number | undefined;
}

/**
 * Look in the channel for a part whose answer was lost longer ago than Discord remembers nonces.
 *
 * returns  the id of the bot's message with this nonce, or with this text when it is younger than the first attempt;
 *          null when there is none
 * throws   errors of the request
 */
export async function findSent(
  by: { rest: REST; botId: string; signal: AbortSignal },
  part: MaybeSent,
): Promise<string | null> {
  const query = new URLSearchParams({ limit: '100' });
  // From the first attempt on, because a busy channel may have moved far beyond its newest hundred.
  if (part.firstAt !== undefined) query.set('after', snowflakeAt(part.firstAt - clockSlackMs));
  const page = await by.rest.get(Routes.channelMessages(part.channelId), { query, signal: by.signal });
  const messages = Array.isArray(page) ? page.filter(isFields) : [];
  const own = messages.filter((message) => optionalFields(message, 'author')?.['id'] === by.botId);
  const found = own.find((message) => isSame(message, part));
  return found === undefined ? null : (optionalText(found, 'id') ?? null);
}

function isSame(message: Fields, part: MaybeSent): boolean {
  if (message['nonce'] !== undefined && message['nonce'] !== null)
    return String(message['nonce']) === part.nonce;
  if (part.firstAt === undefined || optionalText(message, 'content') !== part.text.trim()) return false;
  return part.fileName === undefined || fileNames(message).includes(part.fileName);
}

function fileNames(message: Fields): unknown[] {
  const files = Array.isArray(message['attachments']) ? message['attachments'] : [];
  return files.filter(isFields).map((file) => file['filename']);
}

function snowflakeAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - discordEpochMs)) << 22n);
}
