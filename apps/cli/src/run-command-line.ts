import { CommanderError } from 'commander';
import { GatewayError } from '@palimpsest/core';
import type { CliContext } from './cli-context.ts';
import { buildProgram } from './program.ts';

const wrongUsage = 2;

/**
 * Run one command line (`args` without node and file). Says on standard error, once and readably, what went wrong.
 * Gives the exit code, null when the command ended well (it may have set one itself): 1 explained error, 2 wrong usage.
 */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<number | null> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return null;
  } catch (thrown) {
    // commander has said it already.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? null : wrongUsage;
    process.stderr.write(`${explain(thrown)}\n`);
    return 1;
  }
}

function explain(thrown: unknown): string {
  if (thrown instanceof GatewayError && thrown.code !== 'internal') return thrown.message;
  const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return `Unexpected error; please report these lines:\n${words}`;
}
