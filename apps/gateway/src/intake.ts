import {
  accessListsOf,
  accountKey,
  failureWord,
  type AccountRef,
  type IncomingUpdate,
  type StoredUpdate,
  type StoreUpdates,
} from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { policyFor } from './policy-for.ts';
import { endListedPairings } from './end-listed-pairings.ts';
import { problemOf } from './problem-of.ts';
import type { SignDesk } from './sign-desk.ts';

/**
 * The function every listener stores through: commit first, then wake the sessions. A wake-up that fails is only
 * logged: the message is stored and the sweeper finds it.
 */
export function intakeFor(
  deps: GatewayDeps,
  account: AccountRef,
  signs: Pick<SignDesk, 'seen'>,
): StoreUpdates {
  const follow = followLists(deps, account);
  return async (updates) => {
    // Asked anew each time: the config may change while we run.
    const policy = policyFor(deps.config, account);
    follow();
    const stored = await storeTraced(deps, account, {
      updates,
      store: (ones) => deps.store.intake.storeUpdates(policy, ones),
    });
    countResults(deps, account, { updates, stored });
    const sessions = new Set(stored.flatMap((update) => (update.sessionId ? [update.sessionId] : [])));
    await Promise.all([...sessions].map((sessionId) => wake(deps, sessionId)));
    if (policy.media !== undefined && updates.some(hasMedia)) await fetchMedia(deps, account);
    signs.seen(updates, stored);
    if (stored.some((update) => update.reason === 'mailbox_full')) await tellSoon(deps, account);
    return stored;
  };
}

/** The lists may change while we run, and pairings end with that as they do at a start. */
function followLists(deps: GatewayDeps, account: AccountRef): () => void {
  const listed = (): string => JSON.stringify(accessListsOf(deps.config, account.platform));
  let known = listed();
  return () => {
    const now = listed();
    if (now === known) return;
    known = now;
    void endListedPairings(deps, account);
  };
}

/** Each update begins a tree; what is done because of it finds its place there by the traceparent in its row. */
async function storeTraced(
  { tracer }: GatewayDeps,
  { platform }: AccountRef,
  { updates, store }: { updates: readonly IncomingUpdate[]; store: StoreUpdates },
): Promise<readonly StoredUpdate[]> {
  if (!tracer) return store(updates);
  const spans = updates.map(({ content }) =>
    tracer.start('inbound.store', {
      attributes: { 'gateway.platform': platform, 'gateway.update.kind': content.kind },
    }),
  );
  try {
    const stored = await store(
      updates.map((update, index) => ({ ...update, traceparent: spans[index]?.traceparent ?? undefined })),
    );
    for (const [index, { result, reason }] of stored.entries())
      spans[index]?.set({
        'gateway.update.result': result,
        ...(reason !== undefined && result !== 'unparsed' && { 'gateway.update.reason': reason }),
      });
    return stored;
  } catch (thrown) {
    for (const span of spans) span.fail(failureWord(thrown));
    throw thrown;
  } finally {
    for (const span of spans) span.end();
  }
}

function hasMedia({ content }: IncomingUpdate): boolean {
  return content.kind === 'message' && content.media !== undefined;
}

/** Like a wake-up: what is not queued is found by the sweeper. */
async function fetchMedia(deps: GatewayDeps, account: AccountRef): Promise<void> {
  try {
    await deps.queue.fetchMedia(accountKey(account));
  } catch (thrown) {
    deps.logger.warn(
      { account: accountKey(account), problem: problemOf(thrown) },
      'wake-up for files not queued; the sweeper will find them',
    );
  }
}

async function wake(deps: GatewayDeps, sessionId: string): Promise<void> {
  try {
    await deps.queue.wake(sessionId);
  } catch (thrown) {
    deps.logger.warn(
      { sessionId, problem: problemOf(thrown) },
      'wake-up not queued; the sweeper will find the message',
    );
  }
}

/** The sender was told that there is no room; the sweeper finds what is to be sent too. */
async function tellSoon(deps: GatewayDeps, account: AccountRef): Promise<void> {
  await deps.queue
    .deliver(accountKey(account))
    .catch((thrown: unknown) => deps.logger.warn({ problem: problemOf(thrown) }, 'delivery not queued'));
}

function countResults(
  deps: GatewayDeps,
  account: AccountRef,
  batch: { updates: readonly IncomingUpdate[]; stored: readonly StoredUpdate[] },
): void {
  const { platform } = account;
  for (const [index, update] of batch.stored.entries()) {
    const incoming = batch.updates[index]!;
    const { kind } = incoming.content;
    deps.meter.count('gateway_inbound_updates_total', { platform, kind, result: update.result });
    if (update.reason) {
      deps.meter.count('gateway_inbound_drop_reasons_total', { platform, reason: update.reason });
      deps.logger.info(
        { platform, updateKey: update.updateKey, result: update.result, reason: update.reason },
        'update not taken',
      );
    }
    if (incoming.content.kind === 'message' && update.result === 'stored') {
      const lagSeconds = Math.max(0, (deps.clock.now().getTime() - incoming.content.sentAt.getTime()) / 1000);
      deps.meter.observe('gateway_inbound_lag_seconds', lagSeconds, { platform });
    }
  }
}
