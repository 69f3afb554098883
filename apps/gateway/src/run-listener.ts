import { accountKey, GatewayError, type PlatformListener } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { intakeFor } from './intake.ts';
import { problemOf } from './problem-of.ts';
import type { SignDesk } from './sign-desk.ts';

/** Renewed by a timer; when the process dies another one polls after this time. */
const pollerLeaseMs = 20_000;
const renewEveryMs = 5_000;
const lookEveryMs = 3_000;
/** A restarted listener rests at least this long, with jitter, so that a broken one does not spin. */
const restartMs = 2_000;

/**
 * Run one listener while this process holds its poller lease; supervised: whatever ends it, it starts again, except
 * a refused token, which stops this account only.
 */
export async function runListener(
  deps: GatewayDeps,
  { listener, signs }: { listener: PlatformListener; signs: Pick<SignDesk, 'seen'> },
  signal: AbortSignal,
): Promise<void> {
  const account = accountKey(listener.account);
  const lease = `poller:${account}`;
  const store = intakeFor(deps, listener.account, signs);
  while (!signal.aborted) {
    const held = await acquire(deps, lease);
    if (!held) {
      await deps.clock.sleep(lookEveryMs, signal);
      continue;
    }
    const end = await runHeld(deps, { lease, signal, run: (ending) => listener.run(store, ending) });
    if (end === 'refused') return;
    if (!signal.aborted) await deps.clock.sleep(restartMs + Math.floor(Math.random() * 1_000), signal);
  }
}

async function acquire(deps: GatewayDeps, lease: string): Promise<boolean> {
  try {
    return await deps.store.leases.acquire(lease, deps.owner, pollerLeaseMs);
  } catch (thrown) {
    deps.logger.warn({ lease, problem: problemOf(thrown) }, 'lease could not be asked for; trying again');
    return false;
  }
}

async function runHeld(
  deps: GatewayDeps,
  held: { lease: string; signal: AbortSignal; run(ending: AbortSignal): Promise<void> },
): Promise<'ended' | 'refused'> {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    // An unreachable database keeps the poller: nothing can be confirmed without a commit anyway.
    const ours = await deps.store.leases.acquire(held.lease, deps.owner, pollerLeaseMs).catch(() => true);
    if (!ours) lost.abort();
  }, renewEveryMs);
  try {
    await held.run(AbortSignal.any([held.signal, lost.signal]));
    return 'ended';
  } catch (thrown) {
    deps.logger.error({ lease: held.lease, problem: problemOf(thrown) }, 'listener ended');
    return thrown instanceof GatewayError && thrown.code === 'platform_unauthorised' ? 'refused' : 'ended';
  } finally {
    clearInterval(timer);
    await deps.store.leases.release(held.lease, deps.owner).catch(() => {});
  }
}
