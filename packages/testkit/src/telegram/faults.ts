/** What a test wants to go wrong: one list for each method, used up in order. */
import type { Refusal } from './api-error.ts';

/** One fault; `any` as method name in the calls below means every method. */
export type Fault =
  /** Answer an error, do nothing. */
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  /** Do it, then cut the line before the answer. */
  | { readonly kind: 'drop_answer' }
  /** Cut the line before doing anything. */
  | { readonly kind: 'cut' }
  /** Answer something that is no Bot API answer, for example a proxy's HTML page; do nothing. */
  | { readonly kind: 'raw'; readonly status: number; readonly body: string }
  /** Do it, answer later. */
  | { readonly kind: 'wait'; readonly until: Promise<void> };

/** Answers of one method that a test holds back. */
export interface HeldAnswer {
  /** Settles when the call has been carried out and its answer waits. */
  readonly reached: Promise<void>;
  /** Let the answer go. */
  release(): void;
}

/** The faults that are still to come. */
export class FaultList {
  readonly #faults = new Map<string, { fault: Fault; onReached?: () => void }[]>();

  /** Add one fault behind those that already wait for the method. */
  add(method: string, fault: Fault, onReached?: () => void): void {
    const list = this.#faults.get(method) ?? [];
    list.push({ fault, ...(onReached && { onReached }) });
    this.#faults.set(method, list);
  }

  /** Take the next fault for a call; undefined if all should go well. */
  take(method: string): { fault: Fault; onReached?: () => void } | undefined {
    return (this.#faults.get(method) ?? []).shift() ?? (this.#faults.get('any') ?? []).shift();
  }

  /** Hold the answer of the next call of a method until it is released. */
  hold(method: string): HeldAnswer {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.add(method, { kind: 'wait', until: released.promise }, reached.resolve);
    return { reached: reached.promise, release: released.resolve };
  }
}
