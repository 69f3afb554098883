import {
  GatewayError,
  systemClock,
  type IncomingUpdate,
  type IntakePolicy,
  type Queue,
  type Store,
  type StoredUpdate,
} from '@palimpsest/core';
import type { BenchSizes } from '../figures.ts';
import type { JourneyTimes } from './journey-times.ts';

/** As many updates as Telegram gives at once. */
const batch = 100;
const repeatMs = 100;

const policy: IntakePolicy = {
  account: { platform: 'local', id: 'local' },
  lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
  engine: 'compressor',
  waitForMoreMs: 0,
  requireMention: false,
};

export interface Intake {
  store: Store;
  queue: Pick<Queue, 'wake'>;
  times: JourneyTimes;
}

/**
 * The messages of a run in the order they are sent: the first of every session, then the second of every session, …
 *
 * chats  begins the names of the chats; a second run on one database needs others
 */
export function messagesOf(
  sizes: Pick<BenchSizes, 'sessions' | 'messages'>,
  chats = 'chat',
): IncomingUpdate[] {
  return Array.from({ length: sizes.messages }, (_, message) =>
    Array.from({ length: sizes.sessions }, (__, session) => messageIn(`${chats}-${session}`, message)),
  ).flat();
}

/** Messages of other chats, so that code is compiled, connections are open and statements prepared before the clock runs. */
export function warmUpMessages(): IncomingUpdate[] {
  return Array.from({ length: 200 }, (_, index) =>
    messageIn(`warm-up-${index % 50}`, Math.floor(index / 50)),
  );
}

/** Everything at once, in batches one after the other, as a poller does. */
export async function flood(updates: readonly IncomingUpdate[], intake: Intake): Promise<void> {
  for (let start = 0; start < updates.length; start += batch) {
    await take(updates.slice(start, start + batch), intake);
  }
}

/** One message every 1/rate seconds by the clock, whether the service keeps up or not. */
export async function pace(
  updates: readonly IncomingUpdate[],
  perSecond: number,
  intake: Intake,
): Promise<void> {
  const startedAt = performance.now();
  const running: Promise<void>[] = [];
  for (const [index, update] of updates.entries()) {
    const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (waitMs > 0) await systemClock.sleep(waitMs);
    running.push(take([update], intake));
  }
  await Promise.all(running);
}

/** Commit, then wake: what the gateway's intake does. A failed wake-up is no loss there either: the sweeper finds the message. */
async function take(updates: readonly IncomingUpdate[], { store, queue, times }: Intake): Promise<void> {
  const stored = await untilStored(updates, { store, queue, times });
  times.committed(updates.map((update) => update.updateKey));
  const sessions = new Set(stored.flatMap((update) => (update.sessionId ? [update.sessionId] : [])));
  await Promise.all([...sessions].map((sessionId) => queue.wake(sessionId).catch(() => times.wakeFailed())));
}

/** The platform repeats what was not confirmed, and so do we; how often is in the figures. */
async function untilStored(
  updates: readonly IncomingUpdate[],
  { store, times }: Intake,
): Promise<readonly StoredUpdate[]> {
  for (;;) {
    try {
      return await store.intake.storeUpdates(policy, updates);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError && thrown.retryable)) throw thrown;
      times.intakeRefused();
      await systemClock.sleep(repeatMs);
    }
  }
}

/** The n-th message of a direct chat. */
export function messageIn(chatId: string, message: number): IncomingUpdate {
  const id = `${chatId}-m${message}`;
  return {
    updateKey: id,
    raw: new TextEncoder().encode(JSON.stringify({ id, text: textOf(message) })),
    content: {
      kind: 'message',
      chat: { chatId, threadId: '', kind: 'direct' },
      sender: { id: `person-of-${chatId}`, name: `Person of ${chatId}`, isBot: false },
      messageId: id,
      text: textOf(message),
      sentAt: new Date(),
      addressed: true,
    },
  };
}

function textOf(message: number): string {
  return `Message ${message}: could you look at the plan for Thursday and tell me whether the second part still fits?`;
}
