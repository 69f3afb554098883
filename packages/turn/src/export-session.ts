import { GatewayError, type Store } from '@palimpsest/core';

const rowsAtOnce = 500;
const compactionsAtOnce = 200;

interface ExportStore {
  operators: Pick<Store['operators'], 'session'>;
  transcript: Pick<Store['transcript'], 'page'>;
  compactions: Pick<Store['compactions'], 'ledger'>;
  lcm: Pick<Store['lcm'], 'exportGraph'>;
  dcp: Pick<Store['dcp'], 'blocks'>;
  erase: Pick<Store['erase'], 'noteExport'>;
}

/**
 * Everything of one session as objects with a `type`: messages in every state, compactions, summaries, blocks. That it was
 * exported leaves an event first. throws row_missing
 */
export async function* exportSession(store: ExportStore, id: string): AsyncGenerator<object> {
  const session = await store.operators.session(id);
  if (session === null) throw new GatewayError('row_missing', `there is no session ${id}`);
  await store.erase.noteExport(id);
  yield { type: 'session', ...session };
  yield* messagesOf(store, id);
  yield* compactionsOf(store, id);
  const { summaries, items } = await store.lcm.exportGraph(id);
  const shown = new Set(items.map((item) => item.summaryId));
  for (const summary of summaries) yield { type: 'node', ...summary, isInContext: shown.has(summary.id) };
  for (const block of await store.dcp.blocks(id)) yield { type: 'block', ...block };
}

async function* messagesOf(store: ExportStore, id: string): AsyncGenerator<object> {
  for (let afterSeq = 0; ;) {
    const rows = await store.transcript.page(id, { afterSeq, limit: rowsAtOnce });
    for (const row of rows) yield { type: 'message', ...row };
    if (rows.length < rowsAtOnce) return;
    afterSeq = rows.at(-1)!.seq;
  }
}

/** Newest first, as the ledger is read. */
async function* compactionsOf(store: ExportStore, sessionId: string): AsyncGenerator<object> {
  for (let beforeId: number | undefined; ;) {
    const rows = await store.compactions.ledger({ sessionId, limit: compactionsAtOnce, beforeId });
    for (const row of rows) yield { type: 'compaction', ...row };
    if (rows.length < compactionsAtOnce) return;
    beforeId = rows.at(-1)!.id;
  }
}
