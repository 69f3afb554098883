import {
  accountKey,
  settleAll,
  type OutboxReply,
  type PlatformSender,
  type Stoppable,
} from '@palimpsest/core';
import { Bell } from './bell.ts';
import { Lanes } from './lanes.ts';
import { deliverReply } from './deliver-reply.ts';
import type { GatewayDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';
import { keepTyping } from './keep-typing.ts';
import type { SignDesk } from './sign-desk.ts';
import { streamAnswers } from './stream-answers.ts';

/** Held by one process an account; another takes over when it ends. */
const senderLeaseMs = 30_000;
const repliesAtOnce = 50;
/** How often a process without the lease looks whether it is free, and the longest sleep of the one that has it. */
const lookEveryMs = 5_000;

/**
 * Deliver the replies of one account while this process holds its sender lease: on a queue wake-up, when something
 * becomes due, and every few seconds in case a wake-up was lost. Oldest first in a chat, chats side by side.
 * Only the holder takes wake-ups from the queue, so that none is swallowed by a process that may not send.
 */
export async function runSender(
  deps: GatewayDeps,
  { sender, signs }: { sender: PlatformSender; signs: SignDesk },
  signal: AbortSignal,
): Promise<void> {
  const lease = `sender:${accountKey(sender.account)}`;
  const bell = new Bell(signal);
  const lanes = new Lanes<number>();
  const typing = keepTyping(deps, sender, signal);
  const streaming = streamAnswers({ deps, sender, lanes, signal });
  let jobs: Stoppable | null = null;
  while (!signal.aborted) {
    bell.hush();
    try {
      if (await deps.store.leases.acquire(lease, deps.owner, senderLeaseMs)) {
        jobs ??= await deps.queue.workDeliveries(accountKey(sender.account), async () => bell.ring());
        await bell.silence(await deliverDue(deps, sender, { lease, lanes, signs, signal }));
      } else {
        await jobs?.stop(1_000);
        jobs = null;
        await bell.silence(lookEveryMs);
      }
    } catch (thrown) {
      deps.logger.warn(
        { account: accountKey(sender.account), problem: problemOf(thrown) },
        'delivery interrupted; trying again',
      );
      await bell.silence(1_000);
    }
  }
  await jobs?.stop(1_000);
  await Promise.all([typing, streaming]);
  await deps.store.leases.release(lease, deps.owner).catch(() => {});
  signs.close();
  await sender.close();
}

/** A preview that was on its way when the reply was read has its receipt by now, or is known not to have gone out. */
async function asItIsNow({ store }: GatewayDeps, reply: OutboxReply): Promise<OutboxReply | null> {
  return reply.parts.length === 0 ? reply : store.outbox.stillDue(reply);
}

/** Deliver until nothing is due; milliseconds until the next look. */
async function deliverDue(
  deps: GatewayDeps,
  sender: PlatformSender,
  hold: { lease: string; lanes: Lanes<number>; signs: SignDesk; signal: AbortSignal },
): Promise<number> {
  const account = accountKey(sender.account);
  for (;;) {
    const due = await deps.store.outbox.due(account, repliesAtOnce);
    if (due.length === 0 || hold.signal.aborted) break;
    await settleAll(
      due.map((reply) =>
        hold.lanes.run(reply.chat.chatRowId, async () => {
          const now = await asItIsNow(deps, reply);
          if (now) await deliverReply({ deps, sender, reply: now, signs: hold.signs, signal: hold.signal });
        }),
      ),
    );
    if (!(await deps.store.leases.acquire(hold.lease, deps.owner, senderLeaseMs))) return 0;
  }
  const dueInMs = await deps.store.outbox.nextDueInMs(account);
  return Math.min(lookEveryMs, Math.max(1, dueInMs ?? lookEveryMs));
}
