/** What the one exporter measures in the database. */
import type { GaugeFigures, Platform, WaitingFigures } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne } from '../database.ts';

interface CountRecord {
  delivery_unknown: number;
  dead_mailbox: number;
  dead_outbox: number;
  dead_hook: number;
  turns_running: number;
  spend_backoffs: number;
}

interface SessionCountRecord {
  open: number;
  agent: number;
  hygiene: number;
  background: number;
}

const platforms: readonly Platform[] = ['telegram', 'discord', 'local'];
/** The safety net before the agent, as a share of the window. */
const hygieneShare = 0.85;
const lcmSessionsAtMost = 20;

/** Short statements over partial indexes, one after the other: nobody waits for them. */
export async function gaugeFigures(db: Database): Promise<GaugeFigures> {
  const mailbox = await mailboxWaiting(db);
  const delivery = await deliveryWaiting(db);
  const counts = await unfinished(db);
  const sessions = await restingSessions(db);
  return {
    mailbox,
    delivery,
    deliveryUnknown: counts?.delivery_unknown ?? 0,
    dead: {
      mailbox: counts?.dead_mailbox ?? 0,
      outbox: counts?.dead_outbox ?? 0,
      hook: counts?.dead_hook ?? 0,
    },
    turnsRunning: counts?.turns_running ?? 0,
    sessions: sessions?.open ?? 0,
    overThreshold: await overThreshold(db),
    resting: {
      agent: sessions?.agent ?? 0,
      hygiene: sessions?.hygiene ?? 0,
      background: sessions?.background ?? 0,
    },
    lcmDebts: await run(
      db,
      sql`SELECT reason, count(*)::int AS sessions,
            greatest(0, extract(epoch FROM now() - min(requested_at)))::float8 AS "oldestSeconds"
          FROM lcm_compaction_debt WHERE pending GROUP BY reason ORDER BY reason`,
    ),
    lcmBreakers: await run(
      db,
      sql`SELECT provider, model, coalesce(open_until > now(), false) AS "isOpen" FROM lcm_breaker
          WHERE changed_at > now() - interval '1 day' ORDER BY provider, model LIMIT 50`,
    ),
    lcmSpendBackoffs: counts?.spend_backoffs ?? 0,
    acts: await run(
      db,
      sql`SELECT act, via, count(*)::int AS times FROM operator_actions GROUP BY act, via ORDER BY act, via`,
    ),
    lcmSessions: await lcmSessions(db),
  };
}

async function mailboxWaiting(db: Database): Promise<readonly WaitingFigures[]> {
  const rows = await run<WaitingFigures>(
    db,
    sql`SELECT s.platform, count(*)::int AS pending,
          greatest(0, extract(epoch FROM now() - min(m.accepted_at)))::float8 AS "oldestSeconds"
        FROM mailbox m JOIN sessions s ON s.id = m.session_id
        WHERE m.state = 'pending' AND m.kind <> 'edit' GROUP BY s.platform`,
  );
  return onEachPlatform(rows);
}

async function deliveryWaiting(db: Database): Promise<readonly WaitingFigures[]> {
  const rows = await run<WaitingFigures>(
    db,
    sql`SELECT s.platform, count(*)::int AS pending,
          greatest(0, extract(epoch FROM now() - min(o.created_at)))::float8 AS "oldestSeconds"
        FROM outbox o JOIN sessions s ON s.id = o.session_id
        WHERE o.state IN ('pending', 'sending') GROUP BY s.platform`,
  );
  return onEachPlatform(rows);
}

/** A platform on which nothing waits says so: an alert needs a series to look at. */
function onEachPlatform(rows: readonly WaitingFigures[]): readonly WaitingFigures[] {
  return platforms.map(
    (platform) => rows.find((row) => row.platform === platform) ?? { platform, pending: 0, oldestSeconds: 0 },
  );
}

function unfinished(db: Database): Promise<CountRecord | null> {
  return runOne<CountRecord>(
    db,
    sql`SELECT (SELECT count(*)::int FROM outbox WHERE state = 'unknown') AS delivery_unknown,
          (SELECT count(*)::int FROM outbox WHERE state = 'dead') AS dead_outbox,
          (SELECT count(*)::int FROM mailbox WHERE state = 'dead') AS dead_mailbox,
          (SELECT count(*)::int FROM hook_deliveries WHERE state = 'dead') AS dead_hook,
          (SELECT count(*)::int FROM turns WHERE state = 'running') AS turns_running,
          (SELECT count(*)::int FROM lcm_spend WHERE backoff_until > now()) AS spend_backoffs`,
  );
}

function restingSessions(db: Database): Promise<SessionCountRecord | null> {
  return runOne<SessionCountRecord>(
    db,
    sql`SELECT count(*)::int AS open,
          (count(*) FILTER (WHERE probe_at > now()))::int AS agent,
          (count(*) FILTER (WHERE hold_rest_until > now()))::int AS hygiene,
          (count(*) FILTER (WHERE cooldown_until > now()))::int AS background
        FROM sessions WHERE closed_at IS NULL`,
  );
}

/** Whoever passed a threshold has a ledger row that names it. */
async function overThreshold(db: Database): Promise<GaugeFigures['overThreshold']> {
  const row = await runOne<{ agent: number; hygiene: number }>(
    db,
    sql`SELECT (count(*) FILTER (WHERE s.last_prompt_tokens >= newest.trigger_tokens))::int AS agent,
          (count(*) FILTER (WHERE s.last_prompt_tokens >= newest.window_tokens * ${hygieneShare}::float8))::int AS hygiene
        FROM sessions s CROSS JOIN LATERAL (
          SELECT k.trigger_tokens, k.window_tokens FROM compactions k
          WHERE k.session_id = s.id AND k.trigger_tokens > 0 ORDER BY k.id DESC LIMIT 1) newest
        WHERE s.closed_at IS NULL AND s.updated_at > now() - interval '1 day' AND s.last_prompt_tokens > 0`,
  );
  return { agent: row?.agent ?? 0, hygiene: row?.hygiene ?? 0 };
}

async function lcmSessions(db: Database): Promise<readonly string[]> {
  const rows = await run<{ id: string }>(
    db,
    sql`SELECT id FROM sessions WHERE closed_at IS NULL AND engine = 'lcm'
        ORDER BY updated_at DESC LIMIT ${lcmSessionsAtMost}::int`,
  );
  return rows.map((row) => row.id);
}
