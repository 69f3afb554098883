import { spawn, type ChildProcess } from 'node:child_process';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { floodGate } from './flood-gate.ts';
import { lineReader } from './read-lines.ts';

export interface ChildCommand {
  command: string;
  args: readonly string[];
  cwd: string | null;
  /** The whole environment of the program. */
  env: Readonly<Record<string, string>>;
}

/** A program has this long after its input ended, and again after it was told to end. */
const graceMs = 1_000;
/** One message at most: far above any sound result, far below what would hurt the worker. */
const maxLineBytes = 16 * 1024 * 1024;
/** In ten seconds; reading more would keep the worker from its other work. */
const maxBytes = 64 * 1024 * 1024;
const keptErrorCharacters = 2_000;

/**
 * MCP over the standard streams of a child process. Unlike the SDK's own, it starts the program in a process group of
 * its own, so that a wrapper such as npx and what it started end together and a Ctrl-C at the terminal does not take
 * tools from turns that are still being finished; and a line without end is refused without being copied again and again.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: ChildCommand;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  /** The end of what the program wrote to its error stream; for the operator's eyes only, never for the log. */
  lastWords = '';

  constructor(command: ChildCommand) {
    this.#command = command;
  }

  start(): Promise<void> {
    const { command, args, cwd, env } = this.#command;
    const child = spawn(command, [...args], {
      cwd: cwd ?? undefined,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    child.once('close', () => this.onclose?.());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.lastWords = (this.lastWords + chunk.toString('utf8')).slice(-keptErrorCharacters);
    });
    this.#read(child);
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        reject(error);
        this.onclose?.();
      });
      child.once('spawn', () => resolve());
    });
  }

  #read(child: ChildProcess): void {
    const lines = lineReader(maxLineBytes);
    const isTooMuch = floodGate(maxBytes, () => performance.now());
    child.stdout?.on('data', (chunk: Buffer) => {
      const whole = isTooMuch(chunk.length) ? null : lines(chunk);
      if (whole === null) {
        child.stdout?.destroy();
        return this.#kill('SIGKILL');
      }
      for (const line of whole) this.#take(line);
    });
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (thrown) {
      this.onerror?.(new Error('a line that is no message', { cause: thrown }));
    }
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) return Promise.reject(new Error('the program is not running'));
    // A program that does not read its input is found by the time limit of the call, so there is nothing to wait for.
    input.write(serializeMessage(message));
    return Promise.resolve();
  }

  /** End of input, then SIGTERM, then SIGKILL, each a second later; resolves when the program is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end();
    if (await this.#endsWithin(graceMs)) return this.#kill('SIGKILL');
    this.#kill('SIGTERM');
    if (await this.#endsWithin(graceMs)) return this.#kill('SIGKILL');
    this.#kill('SIGKILL');
    await this.#endsWithin(graceMs);
  }

  #endsWithin(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), waitMs);
      void this.#ended.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** The whole group: also what the program itself has started and left behind. */
  #kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (!pid) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nobody of the group is left, or this system knows no groups.
      this.#child?.kill(signal);
    }
  }
}
