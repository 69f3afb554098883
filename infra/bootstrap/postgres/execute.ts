/** Runs one of the Postgres programs to its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GatewayError } from '@palimpsest/core';
import type { OsUser } from './postgres-user.ts';

export interface Execution {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly user: OsUser;
  /** Written to standard input, which is then closed. */
  readonly input?: string;
}

/** Only what Postgres needs: our environment holds secrets, and the server may be another user's. */
export const postgresEnvironment = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Run a program and wait for it; its output is shown in the error when it fails.
 *
 * throws  database_unavailable when it cannot be started or ends with another code than 0
 */
export async function execute(execution: Execution): Promise<void> {
  const child = spawn(execution.command, execution.args, {
    cwd: execution.cwd,
    ...execution.user,
    env: postgresEnvironment,
    stdio: 'pipe',
    // In its own process group: Ctrl-C must not cut it in half, we decide what happens.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.on('error', () => {}); // A program that ended early; its exit code says more than EPIPE.
  child.stdin.end(execution.input ?? '');
  const code = await ended(child, execution.command);
  if (code === 0) return;
  const tail = output.trim().split('\n').slice(-5).join('\n');
  throw new GatewayError('database_unavailable', `${execution.command} failed (exit code ${code}):\n${tail}`);
}

async function ended(child: ReturnType<typeof spawn>, command: string): Promise<number> {
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? -1;
  } catch (cause) {
    throw new GatewayError('database_unavailable', `${command} could not be started: ${String(cause)}`, {
      cause,
    });
  }
}
