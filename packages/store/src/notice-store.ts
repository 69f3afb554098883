/** LISTEN on one connection of its own that comes back by itself. */
import type { Logger, NoticeStore, StoreNotice } from '@palimpsest/core';
import pg from 'pg';
import { toDatabaseError } from './database-error.ts';
import { noticeChannel } from './notify.ts';

/** Short at first, because most breaks are a restart of a second; the cap keeps a dead database from being hammered. */
const firstWaitMs = 200;
const longestWaitMs = 10_000;

interface Subscription {
  databaseUrl: string;
  logger: Logger;
  onNotice: (notice: StoreNotice) => void;
}

/** Things that just happened; what is said while the connection is away is lost, and nobody may need it. */
export function createNoticeStore(databaseUrl: string, logger: Logger): NoticeStore {
  return { subscribe: (onNotice) => subscribe({ databaseUrl, logger, onNotice }) };
}

/** Resolves when it listens. Throws database_unavailable when the first connection fails; later ones are tried for ever. */
async function subscribe(subscription: Subscription): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  let client = await listen(subscription);
  const kept = keepListening();

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      await ended(client, closing.signal);
      if (closing.signal.aborted) break;
      subscription.logger.warn({}, 'the connection for notices broke; connecting again');
      const next = await reconnect(subscription, closing.signal);
      if (next === null) return;
      client = next;
    }
    await client.end().catch(() => undefined);
  }

  return {
    async close() {
      closing.abort();
      await kept;
    },
  };
}

async function listen({ databaseUrl, logger, onNotice }: Subscription): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'palimpsest notices',
  });
  // Without a listener a broken connection would end the process; `end` follows and is what we act on.
  client.on('error', () => undefined);
  client.on('notification', ({ payload }) => {
    const notice = parseNotice(payload);
    if (notice) onNotice(notice);
    else logger.warn({ bytes: payload?.length ?? 0 }, 'a notice of the database could not be read');
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${noticeChannel}`);
    return client;
  } catch (thrown) {
    await client.end().catch(() => undefined);
    throw toDatabaseError(thrown);
  }
}

async function reconnect(subscription: Subscription, signal: AbortSignal): Promise<pg.Client | null> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    await pause(waitMs, signal);
    if (signal.aborted) return null;
    const client = await listen(subscription).catch(() => null);
    if (client) return client;
  }
  return null;
}

/** Resolves when the connection ends or the signal fires, whichever is first. */
function ended(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    client.once('end', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

const kinds: ReadonlySet<string> = new Set([
  'progress',
  'reply',
  'signal',
  'compaction',
  'mailbox',
] satisfies StoreNotice['kind'][]);

function parseNotice(payload: string | undefined): StoreNotice | null {
  try {
    const value: unknown = JSON.parse(payload ?? '');
    if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
    return typeof value.kind === 'string' && kinds.has(value.kind) ? (value as StoreNotice) : null;
  } catch {
    return null;
  }
}
