/** A program of ours as a process of its own, to be killed. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const quickImports = new URL('../../../../infra/bootstrap/quick-imports.mjs', import.meta.url).href;
/** Line of the first screen; everything is connected when it is printed. */
const readyWords = 'Palimpsest is running';
const startLimitMs = 300_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Everything written so far: standard output, and the log on standard error. */
  output(): string;
  log(): string;
  /** SIGKILL, and wait until the process is gone. */
  kill(): Promise<void>;
  stop(signal: 'SIGINT' | 'SIGTERM'): Promise<Ended>;
  /** SIGSTOP and SIGCONT: as a machine that sleeps, or a process that hangs. */
  freeze(): void;
  thaw(): void;
}

export interface Launch {
  /** Path below the repository and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Modules that Node imports before the program. */
  readonly imports?: readonly string[];
}

/** Start a program; it has only the environment given here. */
export function launch({ command: [file = '', ...words], env, folder, imports = [] }: Launch): Program {
  const before = [quickImports, ...imports].flatMap((one) => ['--import', one]);
  const child = spawn(process.execPath, [...before, join(repository, file), ...words], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (log += String(chunk)));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    ended,
    output: () => output,
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    stop(signal) {
      child.kill(signal);
      return ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** Wait for the first screen; throws with the program's last words when it ends instead. */
export async function untilRunning(program: Program): Promise<Program> {
  const deadline = Date.now() + startLimitMs;
  let end: Ended | null = null;
  void program.ended.then((ended) => (end = ended));
  while (!program.output().includes(readyWords)) {
    if (end !== null || Date.now() > deadline) {
      await program.kill();
      throw new Error(`a program did not start (${JSON.stringify(end)}):\n${program.log().slice(-3000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return program;
}
