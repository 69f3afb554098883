import { exportSession } from '@palimpsest/turn';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { withStore } from '../with-store.ts';

/** session export: everything of one session as JSON lines, each with its `type`; that it was done leaves an event. */
export function addExportCommand(session: Command, context: CliContext): void {
  session
    .command('export <session>')
    .description('all of a session as JSON lines: messages in every state, compactions, summaries, blocks')
    .action((id: string) =>
      withStore(context, async (store) => {
        for await (const line of exportSession(store, id)) await write(`${JSON.stringify(line)}\n`);
      }),
    );
}

/** Waits while whoever reads is slower. */
function write(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(line, (failed) => (failed ? reject(failed) : resolve()));
  });
}
