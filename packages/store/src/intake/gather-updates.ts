/** Group commit: what arrives while a transaction of the account is under way goes together in the next one. */
import type { IncomingUpdate, IntakePolicy, IntakeStore, StoredUpdate } from '@palimpsest/core';

/** As many updates as Telegram gives at once; more wait one transaction longer. */
const mostAtOnce = 100;

type StoreUpdates = IntakeStore['storeUpdates'];

interface Call {
  updates: readonly IncomingUpdate[];
  resolve(results: readonly StoredUpdate[]): void;
  reject(thrown: unknown): void;
}

/**
 * `store` with at most one transaction of a policy under way. A flood then costs a transaction a batch instead of one a
 * message, and a lone message waits for nothing. All calls of a transaction that fails get its error: nothing of them is
 * stored, and each is repeated by whoever made it.
 */
export function gatherUpdates(store: StoreUpdates): StoreUpdates {
  const waiting = new Map<IntakePolicy, Call[]>();

  async function work(policy: IntakePolicy, calls: Call[]): Promise<void> {
    while (calls.length > 0) await storeCalls(store, policy, takeBatch(calls));
    waiting.delete(policy);
  }

  return (policy, updates) =>
    new Promise((resolve, reject) => {
      const call: Call = { updates, resolve, reject };
      const line = waiting.get(policy);
      if (line) return void line.push(call);
      const begun = [call];
      waiting.set(policy, begun);
      void work(policy, begun);
    });
}

/** Whole calls, at least one. */
function takeBatch(calls: Call[]): readonly Call[] {
  let updates = 0;
  const more = calls.findIndex((call) => (updates += call.updates.length) > mostAtOnce);
  return calls.splice(0, more === -1 ? calls.length : Math.max(1, more));
}

async function storeCalls(store: StoreUpdates, policy: IntakePolicy, calls: readonly Call[]): Promise<void> {
  try {
    const results = await store(
      policy,
      calls.flatMap((call) => call.updates),
    );
    let start = 0;
    for (const { updates, resolve } of calls) resolve(results.slice(start, (start += updates.length)));
  } catch (thrown) {
    for (const call of calls) call.reject(thrown);
  }
}
