import { accountKey, type PlatformSender } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';

/**
 * Shows "typing" in every chat whose turn runs. Nothing to forget: it asks the database each time, so it stops with
 * the turn, on every way a turn can end, and with a worker whose lease ran out.
 */
export async function keepTyping(
  deps: GatewayDeps,
  sender: PlatformSender,
  signal: AbortSignal,
): Promise<void> {
  if (sender.typingEveryMs === 0) return;
  while (!signal.aborted) {
    try {
      const holder = await deps.store.leases.holder(`sender:${accountKey(sender.account)}`);
      if (holder?.owner === deps.owner) {
        const busy = await deps.store.outbox.busyChats(accountKey(sender.account));
        await Promise.allSettled(busy.map((chat) => sender.typing(chat.place)));
      }
    } catch {
      // Typing is never worth an error.
    }
    await deps.clock.sleep(sender.typingEveryMs, signal);
  }
}
