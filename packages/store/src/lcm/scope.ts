/** Which sessions a tool's call may look into: derived on the server, never from an argument alone. */
import { cleanText, type LcmScope } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, runOne } from '../database.ts';
import { sessionsInScope } from '../search/search-scope.ts';

/** Empty when the named session is out of scope: as if it did not exist. */
export async function scopeOf(executor: Executor, scope: LcmScope): Promise<readonly string[]> {
  const all = await sessionsInScope(executor, scope.sessionId);
  const only = scope.onlySessionId;
  return only === undefined ? all : all.filter((id) => id === only);
}

/** The session in scope that has the node, the asking one first; null where there is none. */
export async function sessionOfSummary(
  executor: Executor,
  scope: LcmScope,
  summaryId: string,
): Promise<string | null> {
  const sessions = await scopeOf(executor, scope);
  const row = await runOne<{ session_id: string }>(
    executor,
    sql`SELECT s.session_id FROM lcm_summaries s
        WHERE s.session_id = ANY(${sql.param([...sessions])}::text[]) AND s.id = ${cleanText(summaryId)}
        ORDER BY s.session_id = ${scope.sessionId} DESC LIMIT 1`,
    'lcm_session_of_summary',
  );
  return row?.session_id ?? null;
}
