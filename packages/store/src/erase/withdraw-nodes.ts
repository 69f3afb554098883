/**
 * lcm_*: nodes over erased messages go, and what they were made from takes their place in the context.
 *
 *   item of a withdrawn node → its sources that are sound become items · under a withdrawn leaf the messages are live again
 *
 * What was condensed before the message stays so; what came since is read again, and later sweeps condense it anew.
 */
import { sql } from 'drizzle-orm';
import { run, together, type Transaction } from '../database.ts';
import type { PhraseFinder } from './phrases.ts';

interface ItemRecord {
  summary_id: string;
  active: number;
  created_by: number;
  archived_by: number | null;
}

type ItemState = Pick<ItemRecord, 'active' | 'archived_by'>;

export interface WithdrawnNodes {
  ids: readonly string[];
  texts: readonly string[];
  /** Compactions that made items of them. */
  compactionIds: readonly number[];
  /** Call it once the ledger row of the erasure is there. */
  finish(createdBy: number | null): Promise<void>;
}

/** voided: compactions that left the engine for a summary row which is withdrawn: the rows under their items are back. */
export async function withdrawNodes(
  tx: Transaction,
  sessionId: string,
  erased: { rowIds: readonly number[]; finder: PhraseFinder; voided: readonly number[] },
): Promise<WithdrawnNodes> {
  const found = await findNodes(tx, sessionId, erased);
  const ids = found.map((node) => node.id);
  const texts = found.map((node) => node.content);
  if (ids.length === 0) return { ids, texts, compactionIds: [], finish: () => Promise.resolve() };
  const items = await itemsOf(tx, sessionId, ids);
  const makers = new Set(items.map((item) => item.created_by));
  const gone = new Set([...makers, ...erased.voided]);
  const tops = items.filter(({ active, archived_by: by }) => active === 1 || (by !== null && !gone.has(by)));
  const graph = await readGraph(tx, sessionId, ids);
  return {
    ids,
    texts,
    compactionIds: [...makers],
    async finish(createdBy) {
      await removeNodes(tx, sessionId, ids);
      for (const top of tops) {
        const { nodes, rows } = under(top.summary_id, graph);
        await showRows(tx, sessionId, { rows, state: top });
        if (createdBy !== null) await addItems(tx, sessionId, { nodes, state: top, createdBy });
      }
      await forgetLeft(tx, sessionId, erased.voided);
    },
  };
}

/**
 * Nodes over the rows, and any that quotes what is erased; with all that were made from them or since: whoever writes a
 * node is shown the one before it, so that what it told may go on in the next in other words.
 */
async function findNodes(
  tx: Transaction,
  sessionId: string,
  erased: { rowIds: readonly number[]; finder: PhraseFinder },
): Promise<{ id: string; content: string }[]> {
  const texts = await run<{ id: string; content: string }>(
    tx,
    sql`SELECT id, content FROM lcm_summaries WHERE session_id = ${sessionId}`,
    'erase_node_texts',
  );
  if (texts.length === 0) return [];
  const quoting = texts.filter(({ content }) => erased.finder.without(content) !== null);
  const rows = await run<{ id: string }>(
    tx,
    sql`WITH RECURSIVE hit AS (
          SELECT e.summary_id AS id FROM lcm_summary_messages e
          WHERE e.session_id = ${sessionId} AND e.message_id = ANY(${sql.param([...erased.rowIds])}::bigint[])
          UNION SELECT unnest(${sql.param(quoting.map((node) => node.id))}::text[])
          UNION SELECT s.summary_id FROM hit h
          JOIN lcm_summary_sources s ON s.session_id = ${sessionId} AND s.source_summary_id = h.id)
        SELECT s.id FROM lcm_summaries s WHERE s.session_id = ${sessionId} AND (s.id IN (SELECT id FROM hit)
          OR s.created_at >= (SELECT min(f.created_at) FROM hit h
            JOIN lcm_summaries f ON f.session_id = ${sessionId} AND f.id = h.id))`,
    'erase_nodes',
  );
  const hit = new Set(rows.map((row) => row.id));
  return texts.filter(({ id }) => hit.has(id));
}

function itemsOf(tx: Transaction, sessionId: string, ids: readonly string[]): Promise<ItemRecord[]> {
  return run<ItemRecord>(
    tx,
    sql`SELECT summary_id, active, created_by, archived_by FROM lcm_context_items
        WHERE session_id = ${sessionId} AND summary_id = ANY(${sql.param([...ids])}::text[])`,
    'erase_items',
  );
}

/** Of withdrawn nodes only: what each was made from. */
interface Graph {
  sources: ReadonlyMap<string, readonly string[]>;
  messages: ReadonlyMap<string, readonly number[]>;
}

async function readGraph(tx: Transaction, sessionId: string, ids: readonly string[]): Promise<Graph> {
  const named = sql.param([...ids]);
  const [sources, messages] = await together(() => [
    run<{ summary_id: string; under: string[] }>(
      tx,
      sql`SELECT summary_id, array_agg(source_summary_id ORDER BY ord) AS under FROM lcm_summary_sources
          WHERE session_id = ${sessionId} AND summary_id = ANY(${named}::text[]) GROUP BY summary_id`,
      'erase_sources',
    ),
    run<{ summary_id: string; under: number[] }>(
      tx,
      sql`SELECT summary_id, array_agg(message_id ORDER BY ord) AS under FROM lcm_summary_messages
          WHERE session_id = ${sessionId} AND summary_id = ANY(${named}::text[]) GROUP BY summary_id`,
      'erase_covered',
    ),
  ]);
  return {
    sources: new Map(sources.map((row) => [row.summary_id, row.under])),
    messages: new Map(messages.map((row) => [row.summary_id, row.under])),
  };
}

function under(top: string, graph: Graph): { nodes: string[]; rows: number[] } {
  const nodes: string[] = [];
  const rows: number[] = [];
  const open = [top];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const sources = graph.sources.get(id);
    const messages = graph.messages.get(id);
    if (sources) open.push(...sources);
    else if (messages) rows.push(...messages);
    else nodes.push(id);
  }
  return { nodes, rows };
}

/** Rows that were taken back stay so. */
async function showRows(
  tx: Transaction,
  sessionId: string,
  shown: { rows: readonly number[]; state: ItemState },
): Promise<void> {
  const isLive = shown.state.active === 1;
  await run(
    tx,
    sql`UPDATE messages SET active = ${isLive ? 1 : 0}::smallint, compacted = ${isLive ? 0 : 1}::smallint,
          archived_by = ${shown.state.archived_by}::bigint
        WHERE session_id = ${sessionId} AND id = ANY(${sql.param([...shown.rows])}::bigint[])
          AND active = 0 AND compacted = 1`,
    'erase_show_rows',
  );
}

async function addItems(
  tx: Transaction,
  sessionId: string,
  added: { nodes: readonly string[]; state: ItemState; createdBy: number },
): Promise<void> {
  if (added.nodes.length === 0) return;
  const { active, archived_by: archivedBy } = added.state;
  await run(
    tx,
    sql`WITH RECURSIVE under AS (
          SELECT n.id AS top, n.id FROM unnest(${sql.param([...added.nodes])}::text[]) AS n(id)
          UNION SELECT u.top, e.source_summary_id FROM under u
          JOIN lcm_summary_sources e ON e.session_id = ${sessionId} AND e.summary_id = u.id
        ), first_seq AS (
          SELECT u.top, min(m.seq) AS seq FROM under u
          JOIN lcm_summary_messages e ON e.session_id = ${sessionId} AND e.summary_id = u.id
          JOIN messages m ON m.session_id = ${sessionId} AND m.id = e.message_id GROUP BY u.top)
        INSERT INTO lcm_context_items (session_id, ordinal, summary_id, tokens, active, created_by, archived_by)
        SELECT ${sessionId}::text, f.seq, s.id, s.tokens, ${active}::smallint, ${added.createdBy}::bigint, ${archivedBy}::bigint
        FROM first_seq f JOIN lcm_summaries s ON s.session_id = ${sessionId} AND s.id = f.top`,
    'erase_add_items',
  );
}

/** The keys between them are looked at when the transaction ends. */
async function removeNodes(tx: Transaction, sessionId: string, ids: readonly string[]): Promise<void> {
  const named = sql.param([...ids]);
  await together(() => [
    run(
      tx,
      sql`DELETE FROM lcm_context_items WHERE session_id = ${sessionId} AND summary_id = ANY(${named}::text[])`,
      'erase_remove_items',
    ),
    run(
      tx,
      sql`DELETE FROM lcm_summary_sources WHERE session_id = ${sessionId}
            AND (summary_id = ANY(${named}::text[]) OR source_summary_id = ANY(${named}::text[]))`,
      'erase_remove_sources',
    ),
    run(
      tx,
      sql`UPDATE lcm_summaries SET superseded_by = NULL
          WHERE session_id = ${sessionId} AND superseded_by = ANY(${named}::text[])`,
      'erase_unlink',
    ),
    run(
      tx,
      sql`DELETE FROM lcm_summaries WHERE session_id = ${sessionId} AND id = ANY(${named}::text[])`,
      'erase_remove_nodes',
    ),
  ]);
}

/** Where the engine had been left and that is void, nothing is to be given back any more. */
async function forgetLeft(tx: Transaction, sessionId: string, voided: readonly number[]): Promise<void> {
  if (voided.length === 0) return;
  await run(
    tx,
    sql`UPDATE lcm_summary_messages SET was_archived_by = NULL
        WHERE session_id = ${sessionId} AND was_archived_by IS NOT NULL AND EXISTS (SELECT 1 FROM lcm_context_items i
          WHERE i.session_id = ${sessionId} AND i.archived_by = ANY(${sql.param([...voided])}::bigint[]))`,
    'erase_forget_left',
  );
}
