/** What a plan stands on: its rows are still live, and which seqs around them are free. */
import { type CompactionPlan, type LcmChange, PlanOutdated } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import type { SessionRecord } from '../session-row.ts';
import { type Anchor, type SeqGround, seqGap } from './place-rows.ts';

interface AnchorRecord {
  id: number;
  seq: number;
  next: number | null;
  taken: number[];
}

/**
 * Read the seqs that the plan's rows may take. The session row must be locked by this transaction.
 * throws  PlanOutdated when a row to archive or a place's row is no longer live
 */
export async function readGround(
  tx: Transaction,
  session: SessionRecord,
  plan: CompactionPlan,
): Promise<SeqGround> {
  const live = await run<{ id: number; seq: number }>(
    tx,
    sql`SELECT m.id, m.seq FROM messages m WHERE m.session_id = ${session.id} AND m.active = 1 ORDER BY m.seq`,
    'live_seqs',
  );
  const seqs = new Map(live.map((row) => [row.id, row.seq]));
  const missing = namedRows(plan).filter((id) => !seqs.has(id));
  if (missing.length > 0) throw new PlanOutdated(session.id, missing.length);
  const archived = new Set(plan.archive);
  const wanted = anchorIds(plan);
  const records = wanted.length === 0 ? [] : await readAnchors(tx, session.id, wanted);
  if (records.length < wanted.length) throw new PlanOutdated(session.id, wanted.length - records.length);
  const anchors = new Map<number, Anchor>();
  for (const { id, seq, next } of records) anchors.set(id, { seq, next: next ?? session.next_seq });
  return {
    kept: live.filter((row) => !archived.has(row.id)).map((row) => row.seq),
    taken: new Set(records.flatMap((record) => record.taken)),
    anchors,
    nextSeq: session.next_seq,
  };
}

/**
 * Every row that must be live for a plan, once: those to archive and those its places stand on. Where the lossless engine is
 * left, summaries come to stand for rows that were archived long before: their places need only be there.
 */
export function namedRows(plan: CompactionPlan): number[] {
  const isLeft = plan.state?.engine === 'lcm' && (plan.state.json as LcmChange).leave === true;
  return [...new Set([...plan.archive, ...(isLeft ? [] : anchorIds(plan))])];
}

function anchorIds(plan: CompactionPlan): number[] {
  const ids = plan.write.map(({ place }) => (place.kind === 'range' ? place.lastRowId : place.rowId));
  return [...new Set(ids)];
}

/** Rows in any state count: withdrawn and archived ones keep their seq. */
function readAnchors(tx: Transaction, sessionId: string, ids: readonly number[]): Promise<AnchorRecord[]> {
  return run<AnchorRecord>(
    tx,
    sql`SELECT m.id, m.seq,
        (SELECT n.seq FROM messages n WHERE n.session_id = ${sessionId} AND n.seq > m.seq ORDER BY n.seq LIMIT 1) AS next,
        ARRAY(SELECT t.seq FROM messages t WHERE t.session_id = ${sessionId}
          AND t.seq BETWEEN m.seq - ${seqGap}::bigint AND m.seq + ${seqGap}::bigint) AS taken
      FROM messages m WHERE m.session_id = ${sessionId} AND m.id = ANY(${sql.param([...ids])}::bigint[])`,
    'plan_anchors',
  );
}
