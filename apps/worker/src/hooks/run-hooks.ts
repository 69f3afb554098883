import {
  settleAll,
  type Clock,
  type HookDelivery,
  type LeaseStore,
  type Logger,
  type Meter,
  type Store,
} from '@palimpsest/core';
import type { Hook } from './create-hooks.ts';

export interface HooksDeps {
  store: { hooks: Store['hooks']; leases: Pick<LeaseStore, 'acquire' | 'release'> };
  clock: Clock;
  logger: Logger;
  meter: Meter;
  owner: string;
}

const leaseName = 'hooks';
/** Longer than the slowest attempt may take, so that no other process begins what is under way. */
const leaseMs = 150_000;
const everyMs = 1_000;
const atOnce = 20;
const firstRetryMs = 5_000;
const longestRetryMs = 3_600_000;

/**
 * Tell hooks of events, at least once each and in order in a session: what fails is tried again with growing rests, and
 * until then the later events of its session wait for this hook. One process does it at a time.
 */
export async function runHooks(deps: HooksDeps, hooks: readonly Hook[], signal: AbortSignal): Promise<void> {
  let isKnown = false;
  while (!signal.aborted) {
    try {
      if (!isKnown) await deps.store.hooks.subscribe(hooks.map(({ name, events }) => ({ name, events })));
      isKnown = true;
      if (hooks.length === 0) return;
      while ((await tellDue(deps, hooks, signal)) > 0 && !signal.aborted);
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      deps.logger.warn({ problem }, 'hooks interrupted; trying again');
    }
    await deps.clock.sleep(everyMs, signal);
  }
  await deps.store.leases.release(leaseName, deps.owner).catch(() => {});
}

/** One round, if this process may; how many events were told. */
export async function tellDue(deps: HooksDeps, hooks: readonly Hook[], signal: AbortSignal): Promise<number> {
  if (!(await deps.store.leases.acquire(leaseName, deps.owner, leaseMs))) return 0;
  const due = await deps.store.hooks.due(atOnce);
  await settleAll(due.map((delivery) => tellOne(deps, { delivery, hooks, signal })));
  return due.length;
}

async function tellOne(
  { store, meter, logger, clock }: HooksDeps,
  { delivery, hooks, signal }: { delivery: HookDelivery; hooks: readonly Hook[]; signal: AbortSignal },
): Promise<void> {
  const hook = hooks.find(({ name }) => name === delivery.subscriber);
  if (!hook) return store.hooks.failed(delivery, { problem: 'there is no such hook', retryInMs: null });
  const { kind } = hook;
  const startedAt = clock.now().getTime();
  const end = await hook.tell(delivery, AbortSignal.any([signal, AbortSignal.timeout(hook.timeoutMs)]));
  // Stopped in mid-attempt: whether it arrived is not known, so it is told again.
  if (end.kind === 'failed' && signal.aborted) return;
  meter.observe('gateway_hook_duration_seconds', (clock.now().getTime() - startedAt) / 1000, { kind });
  if (end.kind === 'ok') {
    meter.count('gateway_hook_deliveries_total', { kind, outcome: 'delivered' });
    return store.hooks.delivered(delivery);
  }
  const isOver = end.gone || delivery.attempts + 1 >= hook.maxAttempts;
  const retryInMs = isOver ? null : retryMs(delivery.attempts, end.retryAfterMs);
  meter.count('gateway_hook_deliveries_total', { kind, outcome: isOver ? 'dead' : 'retry' });
  const { sessionId, eventId, subscriber } = delivery;
  const fields = {
    hook: subscriber,
    eventId,
    sessionId,
    attempt: delivery.attempts + 1,
    problem: end.problem,
  };
  logger.warn(fields, isOver ? 'hook given up; a dead letter now' : 'hook failed; tried again later');
  return store.hooks.failed(delivery, { problem: end.problem, retryInMs });
}

/** 5 s, 10 s, … at most an hour; longer where the receiver asks for it. */
function retryMs(attempts: number, askedMs: number | null): number {
  return Math.min(longestRetryMs, Math.max(firstRetryMs * 2 ** attempts, askedMs ?? 0));
}
