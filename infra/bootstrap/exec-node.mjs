/** Runs a program with our Node as if it were this process: same terminal, same signals, same exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Compiled code is kept between starts: a start takes half the processor time. Node writes nothing where it may not. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
const quickImports = new URL('./quick-imports.mjs', import.meta.url).href;

/** npm passes a signal on that the terminal has already sent to the whole group; the second one is no new wish. */
const sameSignalMs = 1000;
const parentCheckMs = 250;

/**
 * Start `node ...args`, importing quickly, and end with its exit code.
 *
 * Ctrl-C in a terminal reaches the program by itself, since the terminal signals the whole process group; only
 * without a terminal is SIGINT passed on. The other signals reach one process, so they are always passed on, once.
 */
export function execNode(node, args) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
  const child = spawn(node, ['--import', quickImports, ...args], { stdio: 'inherit', env });
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  const sentAt = new Map();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      const now = Date.now();
      const isRepeat = now - (sentAt.get(signal) ?? 0) < sameSignalMs;
      sentAt.set(signal, now);
      if (isRepeat || (signal === 'SIGINT' && hasTerminal)) return;
      child.kill(signal);
    });
  }
  stopWithNpm(child);
  child.once('error', (error) => {
    process.stderr.write(`palimpsest: ${node} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/**
 * npm runs us below a shell. A signal sent to npm alone ends npm and that shell and is never passed on, so that
 * the program would live on with nobody to stop it: the lost parent is taken as the wish to stop.
 */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return; // Started by hand: outliving a shell may be meant.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, parentCheckMs);
  timer.unref();
}
