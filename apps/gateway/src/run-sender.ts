import { accountKey, type PlatformSender, type Stoppable } from '@palimpsest/core';
import { deliverReply } from './deliver-reply.ts';
import type { GatewayDeps } from './deps.ts';
import { problemOf } from './intake.ts';
import { keepTyping } from './keep-typing.ts';

/** Held by one process an account; another takes over when it ends. */
const senderLeaseMs = 30_000;
const repliesAtOnce = 50;
/** How often a process without the lease looks whether it is free, and the longest sleep of the one that has it. */
const lookEveryMs = 5_000;

/**
 * Deliver the replies of one account while this process holds its sender lease: on a queue wake-up, when something
 * becomes due, and every few seconds in case a wake-up was lost. Oldest first in a chat, chats side by side.
 */
export async function runSender(deps: GatewayDeps, sender: PlatformSender, signal: AbortSignal): Promise<void> {
  const account = accountKey(sender.account);
  const lease = `sender:${account}`;
  let ring: () => void = () => {};
  let rung = true;
  const wakeUp = async (): Promise<void> => {
    rung = true;
    ring();
  };
  const stopAtAbort = (): void => void wakeUp();
  signal.addEventListener('abort', stopAtAbort, { once: true });
  const jobs: Stoppable = await deps.queue.workDeliveries(account, wakeUp);
  const typing = keepTyping(deps, sender, signal);
  try {
    while (!signal.aborted) {
      rung = false;
      const waitMs = await deliverWhileLeased(deps, sender, { lease, signal });
      if (rung || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
        if (rung) ring();
      });
    }
  } finally {
    await jobs.stop(1_000);
    await typing;
    await deps.store.leases.release(lease, deps.owner).catch(() => {});
    await sender.close();
  }
}

/** Milliseconds until the next look. */
async function deliverWhileLeased(
  deps: GatewayDeps,
  sender: PlatformSender,
  hold: { lease: string; signal: AbortSignal },
): Promise<number> {
  try {
    if (!(await deps.store.leases.acquire(hold.lease, deps.owner, senderLeaseMs))) return lookEveryMs;
    const account = accountKey(sender.account);
    for (;;) {
      const due = await deps.store.outbox.due(account, repliesAtOnce);
      if (due.length === 0 || hold.signal.aborted) break;
      await Promise.all(due.map((reply) => deliverReply({ deps, sender, reply, signal: hold.signal })));
      if (!(await deps.store.leases.acquire(hold.lease, deps.owner, senderLeaseMs))) return lookEveryMs;
    }
    return Math.min(lookEveryMs, Math.max(1, (await deps.store.outbox.nextDueInMs(account)) ?? lookEveryMs));
  } catch (thrown) {
    deps.logger.warn({ account: accountKey(sender.account), problem: problemOf(thrown) }, 'delivery interrupted; trying again');
    return 1_000;
  }
}
