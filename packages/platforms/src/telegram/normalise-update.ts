/** One update of Telegram → our words. Pure; whatever arrives, it never throws. */
import { createHash } from 'node:crypto';
import type { IncomingContent, IncomingUpdate } from '@palimpsest/core';
import type { BotIdentity } from './bot-identity.ts';
import { isObject } from './read-json.ts';
import { normaliseMessage } from './normalise-message.ts';
import { normaliseStop } from './normalise-stop.ts';

/** The kinds we ask Telegram for. Named in every request, since Telegram goes on with the former list otherwise. */
export const allowedUpdates = ['message', 'edited_message', 'stopped_message_generation'] as const;

/**
 * Normalise one update.
 *
 * update  the parsed JSON, of any shape
 * raw     the bytes to keep; re-written JSON when the update came in a batch
 * bot     who we are
 */
export function normaliseUpdate(update: unknown, raw: Uint8Array, bot: BotIdentity): IncomingUpdate {
  return { updateKey: keyOf(update, raw), raw, content: contentOf(update, bot) };
}

/** As `normaliseUpdate`, for bytes that may not even be JSON. */
export function normaliseRaw(raw: Uint8Array, bot: BotIdentity): IncomingUpdate {
  let update: unknown;
  try {
    update = JSON.parse(new TextDecoder().decode(raw));
  } catch {
    return { updateKey: keyOf(undefined, raw), raw, content: { kind: 'unparsed', problem: 'not JSON' } };
  }
  return normaliseUpdate(update, raw, bot);
}

function contentOf(update: unknown, bot: BotIdentity): IncomingContent {
  if (!isObject(update) || !Number.isSafeInteger(update.update_id))
    return { kind: 'unparsed', problem: 'no update_id' };
  const kind = Object.keys(update).find((key) => key !== 'update_id');
  if (kind === undefined) return { kind: 'ignored', reason: 'unsupported_kind', what: 'empty' };
  if (!isAllowed(kind)) return { kind: 'ignored', reason: 'unsupported_kind', what: kind };
  const body = update[kind];
  if (!isObject(body)) return { kind: 'unparsed', problem: `${kind} is no object` };
  try {
    if (kind === 'stopped_message_generation') return normaliseStop(body);
    return normaliseMessage(body, { bot, isEdit: kind === 'edited_message' });
  } catch (thrown) {
    // A shape nobody foresaw must not stop the intake of everyone else; the raw update is kept.
    return {
      kind: 'unparsed',
      problem: `${kind}: ${thrown instanceof Error ? thrown.name : 'error'} while reading it`,
    };
  }
}

function isAllowed(kind: string): kind is (typeof allowedUpdates)[number] {
  return (allowedUpdates as readonly string[]).includes(kind);
}

/** Telegram's own id; without one, a hash of the bytes, so that a repeat is still recognised. */
function keyOf(update: unknown, raw: Uint8Array): string {
  if (isObject(update) && Number.isSafeInteger(update.update_id)) return String(update.update_id);
  return `sha256-${createHash('sha256').update(raw).digest('hex').slice(0, 40)}`;
}
