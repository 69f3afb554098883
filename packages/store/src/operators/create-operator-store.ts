import type { HealthFigures, OperatorStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';
import { appliedMigrations, knownMigrations } from '../migrate.ts';
import { lastTold, tellOnce } from './tell-once.ts';
import { accessEntries, deniedEntries, grantsOf, setAccess } from './access-entries.ts';
import { gaugeFigures } from './gauge-figures.ts';
import { requestState, withdrawRequest, writeRequest } from './requests.ts';
import { sessionOverview, sessionOverviews } from './session-overviews.ts';

/** What operators read, and the grants they give. */
export function createOperatorStore(db: Database): OperatorStore {
  return {
    ping: () => ping(db),
    sessions: (options) => sessionOverviews(db, options),
    session: (sessionId) => sessionOverview(db, sessionId),
    request: (sessionId, command) => writeRequest(db, sessionId, command),
    requestState: (request) => requestState(db, request),
    withdrawRequest: (request) => withdrawRequest(db, request),
    access: (platform) => accessEntries(db, platform),
    setAccess: (entry) => setAccess(db, entry),
    denied: (limit) => deniedEntries(db, limit),
    tellOnce: (name, value) => tellOnce(db, name, value),
    lastTold: (name) => lastTold(db, name),
    figures: () => figures(db),
    gauges: () => gaugeFigures(db),
    grants: (platform, userId, chatId) => grantsOf(db, platform, { userId, chatId }),
  };
}

/** `migrated`: every migration this code knows has run. Throws database_unavailable. */
async function ping(db: Database): ReturnType<OperatorStore['ping']> {
  // Since Postgres 15 the rules for characters may be those of a provider of its own, with a name of its own.
  const row = await runOne<{ version: string; now: Date; ctype: string }>(
    db,
    sql`SELECT current_setting('server_version') AS version, clock_timestamp() AS now,
          coalesce(nullif(to_jsonb(d)->>'datlocale', ''), nullif(to_jsonb(d)->>'daticulocale', ''), d.datctype) AS ctype
        FROM pg_database d WHERE d.datname = current_database()`,
  );
  const applied = new Set(await appliedMigrations(db));
  const known = new Set(knownMigrations());
  const migrated = [...known].every((when) => applied.has(when));
  const unknownMigrations = [...applied].filter((when) => !known.has(when)).length;
  const { version, now, ctype } = row ?? { version: '', now: new Date(0), ctype: '' };
  return { version, migrated, unknownMigrations, now, ctype };
}

interface FigureRecord {
  mailbox_pending: number;
  oldest_pending_seconds: number;
  outbox_pending: number;
  outbox_unknown: number;
  outbox_dead: number;
  turns_running: number;
  turns_left: number;
  sessions: number;
}

/** Counts over partial indexes of what is unfinished; only `sessions` counts a whole table. */
async function figures(db: Database): Promise<HealthFigures> {
  const row = await runOne<FigureRecord>(
    db,
    sql`SELECT waiting.mailbox_pending, waiting.oldest_pending_seconds,
        (SELECT count(*)::int FROM outbox WHERE state IN ('pending', 'sending')) AS outbox_pending,
        (SELECT count(*)::int FROM outbox WHERE state = 'unknown') AS outbox_unknown,
        (SELECT count(*)::int FROM outbox WHERE state = 'dead') AS outbox_dead,
        (SELECT count(*)::int FROM turns WHERE state = 'running') AS turns_running,
        (SELECT count(*)::int FROM turns t JOIN sessions s ON s.id = t.session_id
          WHERE t.state = 'running' AND coalesce(s.lease_until <= now(), true)
            AND t.attempted_at < now() - interval '2 minutes') AS turns_left,
        (SELECT count(*)::int FROM sessions WHERE closed_at IS NULL) AS sessions
      FROM (SELECT count(*)::int AS mailbox_pending,
          greatest(0, coalesce(extract(epoch FROM now() - min(accepted_at)), 0))::float8 AS oldest_pending_seconds
        FROM mailbox WHERE state = 'pending' AND kind <> 'edit') waiting`,
  );
  return {
    mailboxPending: row?.mailbox_pending ?? 0,
    oldestPendingSeconds: row?.oldest_pending_seconds ?? 0,
    outboxPending: row?.outbox_pending ?? 0,
    outboxUnknown: row?.outbox_unknown ?? 0,
    outboxDead: row?.outbox_dead ?? 0,
    turnsRunning: row?.turns_running ?? 0,
    turnsLeft: row?.turns_left ?? 0,
    sessions: row?.sessions ?? 0,
  };
}
