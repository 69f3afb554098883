/** Reads what happened while nobody listened: known channels → pages after the last message seen → same way as live. */
import type { AccountRef, Clock, Logger, Meter } from '@palimpsest/core';
import { DiscordAPIError, RateLimitError, Routes, type REST } from 'discord.js';
import type { OpenGaps } from './event-line.ts';
import type { FirmStore } from './firm-store.ts';
import { normaliseDispatch, type BotUser } from './normalise-dispatch.ts';
import { isFields, optionalText, type Fields } from './read-fields.ts';
import { limitOf } from './rest-limits.ts';
import { steadied } from './steady-limits.ts';

/** Discord's largest page. */
const pageSize = 100;
/** Channels asked side by side; each has a rate limit of its own. */
const channelsAtOnce = 5;
/** After this many failures a channel is left, so that one that always fails does not hold up all the others. */
const triesPerRequest = 6;
const firstRetryMs = 500;
const longestRetryMs = 30_000;
const snowflake = /^\d{15,22}$/;

/** The newest message of a channel that is in the store. */
export interface BackfillPoint {
  chatId: string;
  lastMessageId: string;
}

export type BackfillPoints = (account: AccountRef) => Promise<readonly BackfillPoint[]>;

export interface BackfillDeps {
  rest: REST;
  store: FirmStore;
  points: () => Promise<readonly BackfillPoint[]>;
  bot: BotUser;
  logger: Logger;
  meter: Meter;
  clock: Clock;
  signal: AbortSignal;
}

/** Close the gap of every known channel. Never throws; returns the channels still open because the signal fired. */
export async function backfill(deps: BackfillDeps): Promise<OpenGaps> {
  const points = await readPoints(deps);
  if (points === null) return 'all';
  const open = new Set(points.map((point) => point.chatId));
  const waiting = [...points];
  const work = async (): Promise<void> => {
    for (let point = waiting.shift(); point !== undefined && !deps.signal.aborted; point = waiting.shift()) {
      const done = await closeGap(deps, point);
      if (done) open.delete(point.chatId);
    }
  };
  await Promise.all(Array.from({ length: channelsAtOnce }, work));
  return open;
}

async function readPoints(deps: BackfillDeps): Promise<readonly BackfillPoint[] | null> {
  for (let waitMs = firstRetryMs; !deps.signal.aborted; waitMs = Math.min(longestRetryMs, waitMs * 2)) {
    try {
      const points = await orStopped(deps.points(), deps.signal);
      return points === null
        ? null
        : points.filter((point) => snowflake.test(point.chatId) && snowflake.test(point.lastMessageId));
    } catch (thrown) {
      deps.logger.warn(
        { name: nameOf(thrown), waitMs },
        'last messages of the channels not read; trying again',
      );
    }
    await deps.clock.sleep(waitMs, deps.signal);
  }
  return null;
}

/** A database that does not answer must not hold up the end. */
function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const stopped = new Promise<null>((resolve) =>
    signal.addEventListener('abort', () => resolve(null), { once: true }),
  );
  return Promise.race([work, stopped]);
}

/** False only when the signal stopped it. */
async function closeGap(deps: BackfillDeps, point: BackfillPoint): Promise<boolean> {
  try {
    await readPages(deps, point);
    return true;
  } catch (thrown) {
    if (deps.signal.aborted) return false;
    const isGone = thrown instanceof DiscordAPIError && (thrown.status === 403 || thrown.status === 404);
    count(deps, isGone ? 'channel_gone' : 'channel_failed');
    const fields = { channelId: point.chatId, name: nameOf(thrown) };
    if (isGone) deps.logger.info(fields, 'channel is gone or closed to the bot; not read');
    else deps.logger.error(fields, 'missed messages of a channel could not be read; they are left out');
    return true;
  }
}

async function readPages(deps: BackfillDeps, point: BackfillPoint): Promise<void> {
  let after = point.lastMessageId;
  let place: Fields | null = null;
  for (;;) {
    const query = new URLSearchParams({ limit: String(pageSize), after });
    const page = await ask(deps, Routes.channelMessages(point.chatId), query);
    const messages = (Array.isArray(page) ? page.filter(isFields) : []).sort(byId);
    const last = optionalText(messages.at(-1) ?? {}, 'id');
    if (last === undefined) return;
    place ??= await placeOf(deps, point.chatId);
    await storePage(deps, messages, place);
    if (messages.length < pageSize) return;
    after = last;
  }
}

/** What a message of the gateway says about its channel and one of REST does not. */
async function placeOf(deps: BackfillDeps, channelId: string): Promise<Fields> {
  const channel = await ask(deps, Routes.channel(channelId));
  if (!isFields(channel)) return {};
  const guildId = optionalText(channel, 'guild_id');
  return { channel_type: channel['type'], ...(guildId === undefined ? {} : { guild_id: guildId }) };
}

async function storePage(deps: BackfillDeps, messages: readonly Fields[], place: Fields): Promise<void> {
  const updates = messages.map((message) =>
    normaliseDispatch('MESSAGE_CREATE', { ...message, ...place }, deps.bot),
  );
  const stored = await deps.store.put(updates);
  for (const { result } of stored) count(deps, result);
}

async function ask(deps: BackfillDeps, route: `/${string}`, query?: URLSearchParams): Promise<unknown> {
  for (let tries = 1, waitMs = firstRetryMs; ; tries += 1, waitMs = Math.min(longestRetryMs, waitMs * 4)) {
    deps.signal.throwIfAborted();
    try {
      return await steadied(deps.rest).get(route, { query, signal: deps.signal });
    } catch (thrown) {
      if (thrown instanceof DiscordAPIError || deps.signal.aborted || tries >= triesPerRequest) throw thrown;
      await deps.clock.sleep(thrown instanceof RateLimitError ? limitOf(thrown).waitMs : waitMs, deps.signal);
    }
  }
}

function count(deps: BackfillDeps, result: string): void {
  deps.meter.count('gateway_discord_backfill_messages_total', { result });
}

/** Snowflakes of different length compare by length first. */
function byId(one: Fields, other: Fields): number {
  const [a, b] = [optionalText(one, 'id') ?? '', optionalText(other, 'id') ?? ''];
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
