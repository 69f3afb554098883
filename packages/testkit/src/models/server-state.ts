import type { Dialect, Refusal } from './dialect.ts';
import type { FakeModelOptions, FakeUsage, JournalEntry } from './fake-model.ts';
import type { TokenCount } from './count-tokens.ts';
import type { ModelScript } from './script.ts';

/** What one running fake remembers; everything a test can look at, in its writable form. */
export interface ServerState {
  readonly options: FakeModelOptions;
  readonly dialect: Dialect;
  readonly count: TokenCount;
  readonly maxOutput: number;
  /** Keeps ids of several servers apart. */
  readonly name: string;
  readonly requests: JournalEntry[];
  readonly violations: string[];
  readonly usage: FakeUsage[];
  script: ModelScript;
  refused: number;
  refusedOutput: number;
  largestPromptTokens: number;
  scriptCalls: number;
  serial: number;
}

/** Put a refusal where a test will find it. */
export function countRefusal(state: ServerState, refusal: Refusal): void {
  if (refusal.counts === 'violation') state.violations.push(refusal.message);
  if (refusal.counts === 'overflow') state.refused += 1;
  if (refusal.counts === 'output') state.refusedOutput += 1;
}

/** An id no other fake in this process gives out. */
export function nextSerial(state: ServerState): string {
  state.serial += 1;
  return `${state.name}${String(state.serial).padStart(6, '0')}`;
}

/** Milliseconds since the epoch by the clock handed in. */
export function nowMs(state: ServerState): number {
  return Number(state.options.clock?.now() ?? Date.now());
}
