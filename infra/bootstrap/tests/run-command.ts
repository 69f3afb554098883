/** Runs one check or the tests as a child process that an interrupted run takes along. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How long a child may clean up after it was told to stop. */
const stopWaitMs = 20_000;

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Stops the child: first politely, then for good. */
  readonly signal: AbortSignal;
  /** `show` = as it comes; `keep` = returned, for whoever shows it only on failure. */
  readonly output: 'show' | 'keep';
}

/** Run a program to its end; its exit code (-1 when killed or not startable) and what it printed, if kept. */
export async function runCommand(
  command: readonly [string, ...string[]],
  options: CommandOptions,
): Promise<{ readonly code: number; readonly output: string }> {
  const [program, ...args] = command;
  const stdio = options.output === 'show' ? 'inherit' : 'pipe';
  const child = spawn(program, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', stdio, stdio] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let deadline: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    deadline = setTimeout(() => child.kill('SIGKILL'), stopWaitMs);
  };
  if (options.signal.aborted) stop();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, output };
  } catch (error) {
    return { code: -1, output: `${program} could not be started: ${String(error)}` };
  } finally {
    clearTimeout(deadline);
    options.signal.removeEventListener('abort', stop);
  }
}
