/** dcp_block, dcp_mark and the live rows: what operators see of blocks. */
import {
  activeBlocks,
  blockActivity,
  blocksByNumber,
  hiddenTokens,
  shownTokens,
  type BlockActivity,
  type DcpBlock,
  type DcpBlockView,
  type DcpSavings,
  type RowHeader,
} from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run, runOne, together } from '../database.ts';
import { type HeaderRecord, headerColumns, toHeader } from '../transcript/message-record.ts';
import { blockColumns, type BlockRecord, toBlock } from './block-record.ts';

interface ViewRecord extends BlockRecord {
  compaction_id: number | null;
  created_at: Date;
}

/** All blocks of the session, those of before a rewrite included. `executor`: one connection. */
export async function readBlockViews(executor: Executor, sessionId: string): Promise<DcpBlockView[]> {
  const { records, activity } = await readGround(executor, sessionId);
  const holders = new Map<number, number>();
  for (const record of records) for (const inner of record.consumed) holders.set(inner, record.number);
  return records.map((record) => {
    const { origin: _, ...block } = toBlock(record);
    return {
      ...block,
      activity: activity.get(record.number) ?? 'reset',
      consumedBy: holders.get(record.number) ?? null,
      compactionId: record.compaction_id,
      createdAt: record.created_at,
    };
  });
}

/** `executor`: one connection. */
export async function readSavings(executor: Executor, sessionId: string): Promise<DcpSavings> {
  const [{ blocks, activity }, marks] = await together(() => [
    readGround(executor, sessionId),
    readMarkTokens(executor, sessionId),
  ]);
  const byNumber = blocksByNumber({ blocks });
  const shown = activeBlocks({ blocks }, activity);
  const removedTokens = shown.reduce((sum, block) => sum + hiddenTokens(block, byNumber), 0);
  const summaryTokens = shown.reduce((sum, block) => sum + shownTokens(block, byNumber), 0);
  return {
    activeBlocks: shown.length,
    allBlocks: blocks.length,
    removedTokens,
    summaryTokens,
    netTokens: removedTokens - summaryTokens,
    markTokens: marks,
  };
}

async function readGround(
  executor: Executor,
  sessionId: string,
): Promise<{
  records: readonly ViewRecord[];
  blocks: readonly DcpBlock[];
  activity: ReadonlyMap<number, BlockActivity>;
}> {
  const [records, rows] = await together(() => [
    run<ViewRecord>(
      executor,
      sql`SELECT ${blockColumns}, b.compaction_id, b.created_at FROM dcp_block b
          WHERE b.session_id = ${sessionId} ORDER BY b.number`,
      'dcp_block_views',
    ),
    readLiveRows(executor, sessionId),
  ]);
  const blocks = records.map(toBlock);
  return { records, blocks, activity: blockActivity({ blocks }, { rows, isWhole: true }) };
}

async function readLiveRows(executor: Executor, sessionId: string): Promise<readonly RowHeader[]> {
  const rows = await run<HeaderRecord>(
    executor,
    sql`SELECT ${headerColumns} FROM messages m WHERE m.session_id = ${sessionId} AND m.active = 1 ORDER BY m.seq`,
    'live_headers',
  );
  return rows.map(toHeader);
}

async function readMarkTokens(executor: Executor, sessionId: string): Promise<number> {
  const row = await runOne<{ tokens: number }>(
    executor,
    sql`SELECT coalesce(sum(tokens), 0)::int AS tokens FROM dcp_mark WHERE session_id = ${sessionId}`,
    'dcp_mark_tokens',
  );
  return row?.tokens ?? 0;
}
