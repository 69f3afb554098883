import { CommanderError } from 'commander';
import { GatewayError, toGatewayError } from '@palimpsest/core';
import type { CliContext } from './cli-context.ts';
import { exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';

/**
 * Run one command line (`args` without node and file). Says on standard error, once and readably, what went wrong.
 * With `--json` an error is one JSON object on standard output too. Gives the exit code, null when the command ended well
 * (it may have set one itself).
 */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<number | null> {
  try {
    await buildProgram(context).parseAsync([...args], { from: 'user' });
    return null;
  } catch (thrown) {
    // commander has said it already.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? null : exitCodes.wrongUsage;
    process.stderr.write(`${explain(thrown)}\n`);
    if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: asObject(thrown) })}\n`);
    return exitCodes.failed;
  }
}

function asObject(thrown: unknown): { code: string; message: string } {
  const { code, message } = toGatewayError(thrown);
  return { code, message };
}

function explain(thrown: unknown): string {
  if (thrown instanceof GatewayError && thrown.code !== 'internal') return thrown.message;
  const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return `Unexpected error; please report these lines:\n${words}`;
}
