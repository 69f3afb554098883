/** prepared_compactions and the mark that one is being made. Written without the lease: they change no row of the transcript. */
import type { CompactionPlan, FoundPlan, PlanDrop, PlannedRow, PreparedPlan } from '@palimpsest/core';
import { cleanDeep } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { namedRows } from './read-ground.ts';

interface PreparedRecord {
  id: number;
  /** Null when it is of no use any more. */
  plan: CompactionPlan | null;
  why: PlanDrop | null;
  engine: string;
  config_hash: string;
  prepared_at: Date;
}

export interface PlanToKeep {
  plan: CompactionPlan;
  engine: string;
  configHash: string;
  ttlMs: number;
  /** Of the session as it was read for the plan. */
  revision?: number;
}

/** Keep a plan made ahead; an older one of the session goes. */
export function savePrepared(db: Database, sessionId: string, prepared: PlanToKeep): Promise<void> {
  const { plan, engine, configHash, ttlMs } = prepared;
  return transaction(db, async (tx) => {
    if (prepared.revision !== undefined && (await isErasedSince(tx, sessionId, prepared.revision))) return;
    await run(tx, sql`DELETE FROM prepared_compactions WHERE session_id = ${sessionId}`, 'drop_prepared');
    await run(
      tx,
      sql`INSERT INTO prepared_compactions (session_id, engine, config_hash, plan, row_ids, prepared_at, expires_at)
        VALUES (${sessionId}, ${engine}, ${configHash}, ${JSON.stringify(cleanDeep(withPlainTimes(plan)))}::jsonb,
          ${sql.param(namedRows(plan))}::bigint[], clock_timestamp(), clock_timestamp() + ${ttlMs}::float8 * interval '1 ms')`,
      'save_prepared',
    );
  });
}

/** The lock keeps an erasure out until the plan is stored, where it finds it. */
async function isErasedSince(tx: Transaction, sessionId: string, revision: number): Promise<boolean> {
  await run(tx, sql`SELECT id FROM sessions WHERE id = ${sessionId} FOR SHARE`, 'lock_for_plan');
  const erased = await runOne(
    tx,
    sql`SELECT id FROM events WHERE session_id = ${sessionId} AND type = 'session:erase'
          AND (payload ->> 'revision')::bigint > ${revision}::bigint LIMIT 1`,
    'erased_since',
  );
  return erased !== null;
}

/**
 * The newest usable plan; what expired, lost a row or was made by another engine or config is deleted on the way and
 * named with its reason.
 */
export async function findPrepared(
  db: Database,
  sessionId: string,
  made: { engine: string; configHash: string },
): Promise<FoundPlan> {
  const records = await run<PreparedRecord>(
    db,
    sql`WITH kept AS (
        SELECT p.id, CASE
          WHEN p.engine <> ${made.engine} OR p.config_hash <> ${made.configHash} THEN 'config_changed'
          WHEN p.expires_at <= clock_timestamp() THEN 'expired'
          WHEN EXISTS (
            SELECT 1 FROM unnest(p.row_ids) AS named (id)
            WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = ${sessionId} AND m.id = named.id AND m.active = 1)
          ) THEN 'rows_changed' END AS why
        FROM prepared_compactions p WHERE p.session_id = ${sessionId}
      ), dropped AS (
        DELETE FROM prepared_compactions p USING kept
        WHERE p.session_id = ${sessionId} AND p.id = kept.id AND kept.why IS NOT NULL
      )
      SELECT p.id, kept.why, CASE WHEN kept.why IS NULL THEN p.plan END AS plan, p.engine, p.config_hash, p.prepared_at
      FROM prepared_compactions p JOIN kept ON kept.id = p.id
      WHERE p.session_id = ${sessionId} ORDER BY p.id DESC`,
    'find_prepared',
  );
  const usable = records.find((record) => record.plan !== null);
  return {
    plan: usable?.plan ? toPrepared(usable, usable.plan) : null,
    dropped: records.flatMap(({ why }) => (why === null ? [] : [why])),
  };
}

function toPrepared(record: PreparedRecord, plan: CompactionPlan): PreparedPlan {
  const { id, engine, config_hash: configHash, prepared_at: preparedAt } = record;
  return { id, plan: withTimes(plan), engine, configHash, preparedAt };
}

export async function dropPrepared(db: Database, sessionId: string): Promise<void> {
  await run(db, sql`DELETE FROM prepared_compactions WHERE session_id = ${sessionId}`, 'drop_prepared');
}

/** Announce a preparation; false when one is under way. It ends by itself after `ttlMs` (its maker may die). */
export async function markPreparing(db: Database, sessionId: string, ttlMs: number): Promise<boolean> {
  const marked = await runOne(
    db,
    sql`UPDATE sessions SET preparing_until = clock_timestamp() + ${ttlMs}::float8 * interval '1 ms'
      WHERE id = ${sessionId} AND (preparing_until IS NULL OR preparing_until <= clock_timestamp()) RETURNING id`,
    'mark_preparing',
  );
  return marked !== null;
}

export async function preparationUnderWay(db: Database, sessionId: string): Promise<boolean> {
  const row = await runOne(
    db,
    sql`SELECT id FROM sessions WHERE id = ${sessionId} AND preparing_until > clock_timestamp()`,
    'preparation_under_way',
  );
  return row !== null;
}

export async function endPreparing(db: Database, sessionId: string): Promise<void> {
  await run(
    db,
    sql`UPDATE sessions SET preparing_until = NULL WHERE id = ${sessionId} AND preparing_until IS NOT NULL`,
    'end_preparing',
  );
}

/** JSON knows no dates: ISO text on the way in … */
function withPlainTimes(plan: CompactionPlan): unknown {
  return { ...plan, write: plan.write.map((row) => ({ ...row, sentAt: row.sentAt?.toISOString() })) };
}

/** … and a Date again on the way out. */
function withTimes(plan: CompactionPlan): CompactionPlan {
  return { ...plan, write: plan.write.map(withTime) };
}

function withTime(row: PlannedRow): PlannedRow {
  return row.sentAt === undefined ? row : { ...row, sentAt: new Date(row.sentAt) };
}
