import { InvalidArgumentError, type Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { print } from '../print.ts';
import { ledgerLine } from '../session/lines.ts';
import { withStore } from '../with-store.ts';

interface Flags {
  session?: string;
  limit: number;
  before?: number;
  json?: boolean;
}

/** ledger: every attempt of a compaction, skipped and failed ones too, newest first. */
export function addLedgerCommand(program: Command, context: CliContext): void {
  program
    .command('ledger')
    .description('attempts of compactions, newest first: what was tried, how it ended, what it saved')
    .option('--session <id>', 'of one session')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--before <id>', 'older than this one', wholeNumber)
    .option('--json', 'one JSON object')
    .action((flags: Flags) =>
      withStore(context, async (store) => {
        const { session: sessionId, limit, before: beforeId, json } = flags;
        const compactions = await store.compactions.ledger({ sessionId, limit, beforeId });
        const lines = compactions.map(
          (row) => `${sessionId === undefined ? `${row.sessionId}  ` : ''}${ledgerLine(row)}`,
        );
        print(json, { compactions }, lines.length > 0 ? lines : ['No compaction was tried yet.']);
      }),
    );
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number of at least 1.`);
}
