/** Two summaries of one session to be compared: the one that a compaction wrote, and the one before it. */
import { type Part, type SummaryPair, textOfParts } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, runOne } from '../database.ts';

/** After a rotation the former summary lies in the session that was left. */
export async function summaryPair(
  db: Database,
  sessionId: string,
  compactionId: number,
): Promise<SummaryPair | null> {
  const pair = await runOne<{ former: Part[]; written: Part[] }>(
    db,
    sql`SELECT f.parts AS former, w.parts AS written FROM compactions k
        JOIN messages f ON f.session_id = coalesce(nullif(k.old_session_id, ''), k.session_id) AND f.id = k.previous_summary_id
        JOIN messages w ON w.session_id = k.session_id AND w.id = ANY(k.written_rows) AND w.kind = 'summary'
        WHERE k.session_id = ${sessionId} AND k.id = ${compactionId}::bigint ORDER BY w.seq LIMIT 1`,
    'summary_pair',
  );
  return pair && { former: summaryOf(pair.former), text: summaryOf(pair.written) };
}

/** Where a summary was put in front of a row that stayed, only it, without what that row says. */
function summaryOf(parts: readonly Part[]): string {
  const [first] = parts;
  return textOfParts(first?.type === 'header' ? [first] : parts).trim();
}
