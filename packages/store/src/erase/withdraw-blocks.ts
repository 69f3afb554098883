/** dcp_block, messages: blocks over erased messages, and the calls that wrote them. */
import type { Part } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { taintBlocks, type Tainted } from '../dcp/taint-blocks.ts';
import type { StoredRow } from './erased-rows.ts';

export interface WithdrawnBlocks {
  numbers: readonly number[];
  /** Summaries and topics. */
  texts: readonly string[];
  /** Ledger rows the blocks came with. */
  compactionIds: readonly number[];
  /** Rows of the calls, which hold the summaries too, and of their results. */
  rows: readonly { row: StoredRow; parts: readonly Part[] }[];
}

const erasedArguments = '{}';
const erasedResult = 'Compressed once; the summary was erased.';

export async function withdrawBlocks(
  tx: Transaction,
  sessionId: string,
  rowIds: readonly number[],
): Promise<WithdrawnBlocks> {
  const before = await blockTexts(tx, sessionId);
  const tainted = await taintBlocks(tx, { sessionId, rowIds, erase: true });
  const numbers = new Set(tainted.blocks);
  if (numbers.size === 0) return { numbers: [], texts: [], compactionIds: [], rows: [] };
  const ledger = await run<{ id: number }>(
    tx,
    sql`SELECT DISTINCT compaction_id AS id FROM dcp_block WHERE session_id = ${sessionId}
          AND number = ANY(${sql.param([...tainted.blocks])}::bigint[]) AND compaction_id IS NOT NULL`,
    'erase_block_ledger',
  );
  const calls = new Set(tainted.origins.map((origin) => origin.callId));
  const rows = await callRows(tx, sessionId, tainted.origins);
  return {
    numbers: tainted.blocks,
    texts: before.flatMap(({ number, texts }) => (numbers.has(number) ? texts : [])),
    compactionIds: ledger.map((row) => row.id),
    rows: rows.map((row) => ({ row, parts: row.parts.flatMap((part) => withoutSummary(part, calls)) })),
  };
}

function blockTexts(tx: Transaction, sessionId: string): Promise<{ number: number; texts: string[] }[]> {
  return run<{ number: number; texts: string[] }>(
    tx,
    sql`SELECT number, array_remove(ARRAY[topic, batch_topic, body], NULL) AS texts FROM dcp_block
        WHERE session_id = ${sessionId}`,
    'erase_block_texts',
  );
}

/** The rows of those turns that make or answer one of the calls. */
function callRows(tx: Transaction, sessionId: string, origins: Tainted['origins']): Promise<StoredRow[]> {
  const column = (pick: (origin: Tainted['origins'][number]) => string) => sql.param(origins.map(pick));
  return run<StoredRow>(
    tx,
    sql`SELECT DISTINCT m.session_id, m.id, m.seq, m.kind, m.replaces, m.parts
        FROM unnest(${column((one) => one.turnId)}::text[], ${column((one) => one.callId)}::text[]) AS o(turn_id, call_id)
        JOIN messages m ON m.session_id = ${sessionId} AND m.turn_id = o.turn_id
          AND (m.tool_call_ids @> ARRAY[o.call_id] OR m.tool_call_id = o.call_id)`,
    'erase_call_rows',
  );
}

/** What a provider signed belongs to the call as it was made. */
function withoutSummary(part: Part, calls: ReadonlySet<string>): Part[] {
  if (part.type === 'sidecar') return [];
  if (part.type === 'tool_call' && calls.has(part.id)) return [{ ...part, arguments: erasedArguments }];
  if (part.type === 'tool_result' && calls.has(part.callId)) return [{ ...part, text: erasedResult }];
  return [part];
}
