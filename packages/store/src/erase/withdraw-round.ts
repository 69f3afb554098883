/** Whatever stands over erased or changed rows, of all three engines, leaves the prompt and keeps no text. */
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { erasedSummaryParts, saidIn, tombstone, withoutQuotes } from './erased-parts.ts';
import type { PhraseFinder } from './phrases.ts';
import { withdrawBlocks } from './withdraw-blocks.ts';
import { withdrawNodes } from './withdraw-nodes.ts';
import { voidCompactions, withdrawSummaries, type WithdrawnSummaries } from './withdraw-summaries.ts';
import type { ChangedRow } from './write-rows.ts';

export interface RoundWithdrawn {
  /** Rows that must lose their text with them. */
  rows: readonly ChangedRow[];
  /** One name a summary, node or block. */
  names: readonly string[];
  /** What they said. */
  texts: readonly string[];
  sessionIds: readonly string[];
  /** Rows of the ledger that say so. */
  undone: number;
}

export async function withdrawRound(
  tx: Transaction,
  sessionIds: readonly string[],
  { touched, finder }: { touched: readonly number[]; finder: PhraseFinder },
): Promise<RoundWithdrawn> {
  const summaries = await withdrawSummaries(tx, sessionIds, touched);
  const rows: ChangedRow[] = [...summaryRows(summaries)];
  await unmerge(tx, summaries);
  const changedIds = new Set<string>(rows.map((row) => row.sessionId));
  const names = rows.map((row) => `row ${row.id}`);
  const texts = [...summaries.withdrawn, ...summaries.blanked].flatMap((row) => saidIn(row.parts));
  let undone = 0;
  for (const sessionId of sessionIds) {
    const voided = await ownCompactions(tx, sessionId, summaries.compactionIds);
    const nodes = await withdrawNodes(tx, sessionId, { rowIds: touched, finder, voided });
    const blocks = await withdrawBlocks(tx, sessionId, touched);
    const ledgerId = await voidCompactions(tx, sessionId, [
      ...voided,
      ...nodes.compactionIds,
      ...blocks.compactionIds,
    ]);
    if (ledgerId !== null) undone += 1;
    await nodes.finish(ledgerId);
    for (const { row, parts } of blocks.rows) rows.push({ sessionId, id: row.id, parts, isTombstone: false });
    const here = [...nodes.ids, ...blocks.numbers.map((number) => `b${number}`)];
    names.push(...here.map((name) => `${sessionId} ${name}`));
    texts.push(...nodes.texts, ...blocks.texts);
    if (here.length > 0) changedIds.add(sessionId);
  }
  const clean = rows.map((row) => ({ ...row, parts: withoutQuotes(row.parts, finder) ?? row.parts }));
  return { rows: clean, names, texts, sessionIds: [...changedIds], undone };
}

/** A row that a summary was merged into keeps what it said itself. */
function summaryRows({ withdrawn, blanked }: WithdrawnSummaries): ChangedRow[] {
  const gone = withdrawn.map(({ session_id: sessionId, id }): ChangedRow => ({
    sessionId,
    id,
    parts: tombstone([]),
    isTombstone: true,
  }));
  const blank = blanked.map(({ session_id: sessionId, id, parts, replaces }): ChangedRow => {
    const own = replaces === null ? [] : parts.slice(1);
    return { sessionId, id, parts: own.length > 0 ? own : erasedSummaryParts(), isTombstone: false };
  });
  return [...gone, ...blank];
}

async function unmerge(tx: Transaction, { blanked }: WithdrawnSummaries): Promise<void> {
  const ids = blanked.flatMap((row) => (row.replaces === null ? [] : [row.id]));
  if (ids.length === 0) return;
  const sessions = [...new Set(blanked.map((row) => row.session_id))];
  await run(
    tx,
    sql`UPDATE messages SET kind = CASE role WHEN 'user' THEN 'person' ELSE role END
        WHERE session_id = ANY(${sql.param(sessions)}::text[]) AND id = ANY(${sql.param(ids)}::bigint[])`,
    'erase_unmerge',
  );
}

async function ownCompactions(tx: Transaction, sessionId: string, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await run<{ id: number }>(
    tx,
    sql`SELECT id FROM compactions WHERE session_id = ${sessionId} AND id = ANY(${sql.param([...ids])}::bigint[])`,
    'erase_own_compactions',
  );
  return rows.map((row) => row.id);
}
