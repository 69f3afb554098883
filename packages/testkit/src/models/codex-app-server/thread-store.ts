import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Counts {
  totalTokens: number;
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
}

export interface StoredThread {
  id: string;
  model: string;
  total: Counts;
  last: Counts;
  turns: string[];
  /** The client wants it unloaded as soon as it lets go. */
  unloadsAtOnce: boolean;
}

export function noCounts(): Counts {
  return {
    totalTokens: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
  };
}

/** Threads on disk, so that another process can go on in them. Ephemeral ones are kept in memory only. */
export class ThreadStore {
  readonly #file: string;
  /** Loaded here, by id. */
  readonly loaded = new Map<string, StoredThread>();

  constructor(home: string) {
    this.#file = join(home, 'fake-threads.json');
  }

  /** A thread on disk as it is now. */
  read(id: string): StoredThread | undefined {
    return this.#all()[id];
  }

  save(thread: StoredThread): void {
    const beside = `${this.#file}.${process.pid}`;
    writeFileSync(beside, JSON.stringify({ ...this.#all(), [thread.id]: thread }));
    renameSync(beside, this.#file);
  }

  /** Become the one writer of a thread; false while another process that lives is it. */
  lock(id: string): boolean {
    const file = this.#lockOf(id);
    const writer = existsSync(file) ? Number(readFileSync(file, 'utf8')) : process.pid;
    if (writer !== process.pid && isAlive(writer)) return false;
    writeFileSync(file, String(process.pid));
    return true;
  }

  unlock(id: string): void {
    this.loaded.delete(id);
    rmSync(this.#lockOf(id), { force: true });
  }

  #lockOf(id: string): string {
    return `${this.#file}.${id}.writer`;
  }

  #all(): Record<string, StoredThread> {
    if (!existsSync(this.#file)) return {};
    return JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, StoredThread>;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
