import { accountKey, type PlatformSender } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';

/** A turn shows itself within this time; one small query an account. */
const lookEveryMs = 700;

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
  const account = accountKey(sender.account);
  let shownAt = new Map<number, number>();
  while (!signal.aborted) {
    try {
      const holder = await deps.store.leases.holder(`sender:${account}`);
      if (holder?.owner === deps.owner) shownAt = await showTyping(deps, sender, shownAt);
    } catch {
      // Typing is never worth an error.
    }
    await deps.clock.sleep(lookEveryMs, signal);
  }
}

/** Chats whose sign is new or about to fade get it; when each got it last, for the next look. */
async function showTyping(
  deps: GatewayDeps,
  sender: PlatformSender,
  shownAt: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const now = deps.clock.now().getTime();
  const busy = await deps.store.outbox.busyChats(accountKey(sender.account));
  const due = busy.filter((chat) => now - (shownAt.get(chat.chatRowId) ?? 0) >= sender.typingEveryMs);
  await Promise.allSettled(due.map((chat) => sender.typing(chat.place)));
  const showing = new Set(due);
  return new Map(
    busy.map((chat) => [chat.chatRowId, showing.has(chat) ? now : (shownAt.get(chat.chatRowId) ?? now)]),
  );
}
