import { GatewayError, type Store } from '@palimpsest/core';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withStore } from '../with-store.ts';

const rowsAtOnce = 500;
const compactionsAtOnce = 200;

/** session export: everything of one session as JSON lines, each with its `type`; that it was done leaves an event. */
export function addExportCommand(session: Command, context: CliContext): void {
  session
    .command('export <session>')
    .description('all of a session as JSON lines: messages in every state, compactions, summaries, blocks')
    .action((id: string) => withStore(context, (store) => exportSession(store, id)));
}

async function exportSession(store: Store, id: string): Promise<void> {
  await store.erase.noteExport(id);
  for await (const line of linesOf(store, id)) await write(`${JSON.stringify(line)}\n`);
}

async function* linesOf(store: Store, id: string): AsyncGenerator<object> {
  const session = await store.operators.session(id);
  if (session === null) throw new GatewayError('row_missing', `there is no session ${id}`);
  yield { type: 'session', ...session };
  yield* messagesOf(store, id);
  yield* compactionsOf(store, id);
  const { summaries, items } = await store.lcm.exportGraph(id);
  const shown = new Set(items.map((item) => item.summaryId));
  for (const summary of summaries) yield { type: 'node', ...summary, isInContext: shown.has(summary.id) };
  for (const block of await store.dcp.blocks(id)) yield { type: 'block', ...block };
}

async function* messagesOf(store: Store, id: string): AsyncGenerator<object> {
  for (let afterSeq = 0; ;) {
    const rows = await store.transcript.page(id, { afterSeq, limit: rowsAtOnce });
    for (const row of rows) yield { type: 'message', ...row };
    if (rows.length < rowsAtOnce) return;
    afterSeq = rows.at(-1)!.seq;
  }
}

/** Newest first, as the ledger is read. */
async function* compactionsOf(store: Store, sessionId: string): AsyncGenerator<object> {
  for (let beforeId: number | undefined; ;) {
    const rows = await store.compactions.ledger({ sessionId, limit: compactionsAtOnce, beforeId });
    for (const row of rows) yield { type: 'compaction', ...row };
    if (rows.length < compactionsAtOnce) return;
    beforeId = rows.at(-1)!.id;
  }
}

/** Waits while whoever reads is slower. */
function write(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(line, (failed) => (failed ? reject(failed) : resolve()));
  });
}
