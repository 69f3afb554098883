import type { Store } from '@palimpsest/core';
import { exportSession } from '@palimpsest/turn';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { operator } from '../operator.ts';
import { showProgress } from '../progress.ts';
import { withStore } from '../with-store.ts';

/** session export: everything of one session as JSON lines, each with its `type`; that it was done leaves an event. */
export function addExportCommand(session: Command, context: CliContext): void {
  session
    .command('export <session>')
    .description('all of a session as JSON lines: messages in every state, compactions, summaries, blocks')
    .option('--json', 'the same: every line is a JSON object')
    .action((id: string) => withStore(context, (store) => writeSession(store, id)));
}

async function writeSession(store: Store, id: string): Promise<void> {
  const session = await store.operators.session(id);
  // Of a session that is not there the export itself says so.
  if (session) await store.actions.note({ actor: operator(), act: 'export', sessionId: id });
  using progress = showProgress('lines written');
  let lines = 0;
  for await (const line of exportSession(store, id)) {
    await write(`${JSON.stringify(line)}\n`);
    progress.at((lines += 1));
  }
}

/** Waits while whoever reads is slower. */
function write(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(line, (failed) => (failed ? reject(failed) : resolve()));
  });
}
