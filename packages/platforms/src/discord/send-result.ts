/** What an error of a send means for the outbox. */
import type { SendResult } from '@palimpsest/core';
import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { limitOf } from './rest-limits.ts';

/** Nothing can be sent to the chat until a person changes something on Discord. */
const unreachable: ReadonlyMap<unknown, string> = new Map([
  [10003, 'the channel does not exist (any more)'],
  [50001, 'the bot has no access to the channel; give its role "View Channel"'],
  [50007, 'this user takes no direct messages from the bot'],
  [50013, 'the bot may not write in the channel; give its role "Send Messages"'],
  [50278, 'this user shares no server with the bot any more'],
]);

const failed: ReadonlyMap<unknown, string> = new Map([
  [10008, 'the message does not exist (any more)'],
  [50005, 'the message is not the bot’s own'],
  [50006, 'Discord takes no empty message'],
  [160005, 'the thread is locked; unlock it, or give the bot "Manage Threads"'],
]);

/** The request never left, so nothing can be out. */
const notConnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Never names the text, the address or the token: errors of the library carry all of them. */
export function sendResultOf(error: unknown): SendResult {
  if (error instanceof RateLimitError) return { kind: 'wait', ...limitOf(error) };
  if (error instanceof DiscordAPIError) return refusalOf(error);
  if (error instanceof HTTPError && error.status === 413)
    return { kind: 'failed', message: 'Discord takes no file of that size (413)' };
  if (error instanceof HTTPError) return { kind: 'unknown', message: `Discord answered ${error.status}` };
  const code = codeOf(error);
  if (notConnected.has(code))
    return { kind: 'retry', message: `Discord cannot be reached (${String(code)})` };
  return { kind: 'unknown', message: `no answer from Discord (${String(code)})` };
}

function refusalOf(error: DiscordAPIError): SendResult {
  const { status, code } = error;
  if (status === 401)
    return { kind: 'retry', message: 'Discord refused the token (401); check DISCORD_BOT_TOKEN' };
  const gone = unreachable.get(code);
  if (gone !== undefined) return { kind: 'unreachable', message: `${gone} (Discord ${code})` };
  const reason = failed.get(code) ?? 'Discord refused the message';
  return { kind: 'failed', message: `${reason} (Discord ${String(code ?? '?')}, status ${status})` };
}

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error ? error.code : error.name;
}
