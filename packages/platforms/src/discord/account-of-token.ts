import type { AccountRef } from '@palimpsest/core';
import { createHash } from 'node:crypto';

const snowflake = /^\d{15,22}$/;

/**
 * The account a bot token belongs to, known before any request: the first of its three parts is the bot's user id in
 * base64. A token of another shape (never one of Discord's) gets a name from its hash, stable as long as the token is.
 */
export function accountOfToken(token: string): AccountRef {
  const [first = ''] = token.split('.');
  const id = Buffer.from(first, 'base64').toString('latin1');
  if (snowflake.test(id)) return { platform: 'discord', id };
  return {
    platform: 'discord',
    id: `unknown-${createHash('sha256').update(token).digest('hex').slice(0, 12)}`,
  };
}
