/** Other people's summary graphs, for benches that ask what they cost. */
import type pg from 'pg';
import { withClient } from './with-client.ts';

interface GraphsToFill {
  /** Sessions named other-N that `fillSessions` made, from the one after this. */
  after: number;
  sessions: number;
}

/** Messages of a leaf. */
const rowsPerLeaf = 15;

/** Give each session a leaf over every 15 of its archived rows, with edges, search words and a place in the context. */
export function fillGraphs(url: string, wish: GraphsToFill): Promise<void> {
  return withClient(url, async (client) => {
    const range = [wish.after + 1, wish.after + wish.sessions];
    await client.query('SET synchronous_commit = off');
    // Only an administrator may; without it every edge is looked up twice.
    await client.query(`SET session_replication_role = replica`).catch(() => undefined);
    await client.query(leavesSql, range);
    await client.query(edgesSql, range);
    await client.query(itemsSql, range);
    await settle(client);
  });
}

/** Let the sessions be of one chat, so that one search may look into all of them. */
export function joinSessions(url: string, wish: GraphsToFill): Promise<void> {
  return withClient(url, async (client) => {
    await client.query(
      `UPDATE sessions SET chat_row_id = (SELECT chat_row_id FROM sessions WHERE id = 'other-' || $1::int)
       FROM generate_series($1::int, $2::int) s WHERE sessions.id = 'other-' || s`,
      [wish.after + 1, wish.after + wish.sessions],
    );
    await settle(client);
  });
}

const leafRows = `SELECT m.session_id, m.id, m.seq, m.tokens, m.sent_at,
    'sum_' || md5(m.session_id || (m.seq / 1024 - 1) / ${rowsPerLeaf}) AS leaf
  FROM generate_series($1::int, $2::int) s JOIN messages m ON m.session_id = 'other-' || s WHERE m.active = 0`;

const leavesSql = `INSERT INTO lcm_summaries (session_id, id, kind, depth, content, tokens, earliest_at, latest_at,
    descendant_count, descendant_tokens, source_message_tokens, file_ids, escalation, tsv)
  SELECT session_id, leaf, 'leaf', 0, repeat('what was said in a few words ' || min(seq) || ' ', 30), 250, min(sent_at),
    max(sent_at), 0, 0, sum(tokens), '{}', 'normal',
    ('''session:' || session_id || ''' w' || min(id) % 20000 || ':1 w' || max(id) % 20000 || ':2')::tsvector
  FROM (${leafRows}) r GROUP BY session_id, leaf`;

const edgesSql = `INSERT INTO lcm_summary_messages (session_id, summary_id, ord, message_id)
  SELECT session_id, leaf, row_number() OVER (PARTITION BY session_id, leaf ORDER BY seq) - 1, id FROM (${leafRows}) r`;

const itemsSql = `INSERT INTO lcm_context_items (session_id, ordinal, summary_id, tokens, created_by)
  SELECT session_id, min(seq), leaf, 250, 1 FROM (${leafRows}) r GROUP BY session_id, leaf`;

async function settle(client: pg.Client): Promise<void> {
  await client.query('VACUUM ANALYZE');
  // Only an administrator may; without it a checkpoint may fall into the first measurements.
  await client.query('CHECKPOINT').catch(() => undefined);
}
