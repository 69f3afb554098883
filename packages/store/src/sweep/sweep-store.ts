/** What the sweeper finds; every query goes through a partial index. */
import { accountKey, type Platform, type SweepStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { closeOrphans } from './close-orphans.ts';
import { idleSessions } from './idle-sessions.ts';
import { reindexSearch } from './reindex-search.ts';
import { retire } from './retire.ts';
import { sessionsToWake } from './sessions-to-wake.ts';

export function createSweepStore(db: Database): SweepStore {
  return {
    sessionsToWake: (limit) => sessionsToWake(db, limit),
    accountsToDeliver: () => accountsToDeliver(db),
    accountsToFetch: () => accountsToFetch(db),
    idleSessions: (idleSeconds, limit) => idleSessions(db, idleSeconds, limit),
    closeOrphans: () => closeOrphans(db),
    retire: (days) => retire(db, days),
    reindexSearch: (mostRows) => reindexSearch(db, mostRows),
  };
}

async function accountsToFetch(db: Database): Promise<readonly string[]> {
  const rows = await run<{ platform: Platform; account: string }>(
    db,
    sql`SELECT DISTINCT c.platform, c.account FROM mailbox b JOIN chats c ON c.id = b.chat_row_id
        WHERE b.state = 'pending' AND b.media_due <= now()`,
    'accounts_to_fetch',
  );
  return rows.map(({ platform, account }) => accountKey({ platform, id: account }));
}

async function accountsToDeliver(db: Database): Promise<readonly string[]> {
  const rows = await run<{ account: string }>(
    db,
    sql`SELECT DISTINCT o.account FROM outbox o JOIN chats c ON c.id = o.chat_row_id
        LEFT JOIN account_gates g ON g.account = o.account
        WHERE o.state IN ('pending', 'sending') AND o.not_before <= now()
          AND (c.gate_until IS NULL OR c.gate_until <= now()) AND (g.gate_until IS NULL OR g.gate_until <= now())`,
    'accounts_to_deliver',
  );
  return rows.map((row) => row.account);
}
