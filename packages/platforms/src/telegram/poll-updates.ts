/**
 * The getUpdates loop: fetch → store → fetch with a higher offset, which is what confirms.
 *
 * The offset is never kept from an earlier run: Telegram gives everything that is not confirmed, and after a week
 * of silence its ids may go down.
 */
import type { Update } from 'grammy/types';
import { forumOf } from './forum-of.ts';
import { waitOutConflict } from './poll-conflict.ts';
import { allowedUpdates, normaliseUpdate } from './normalise-update.ts';
import type { Polling } from './polling.ts';
import { isTokenRefused, readFailure, type BotApiFailure } from './read-failure.ts';
import { backOffMs, clientSignal, tokenRefused, waitAfter } from './telegram-account.ts';

/** How long Telegram holds a request without updates. */
export const pollSeconds = 25;
const firstPollSeconds = 1;
/** A poll that has not ended after this long is given up, whatever the client says. */
const hungAfterMs = 3 * pollSeconds * 1000;
const batchSize = 100;

type Poll =
  | { kind: 'updates'; updates: readonly Update[] }
  | { kind: 'failed'; failure: BotApiFailure }
  | { kind: 'hung' };

/** Poll until the signal ends. throws platform_unauthorised when the token is refused */
export async function pollUpdates(polling: Polling): Promise<void> {
  const { account, signal } = polling;
  let offset: number | undefined;
  // The first answer comes soon, also from a quiet bot: until then nobody knows that polling works.
  let holdSeconds = firstPollSeconds;
  let failures = 0;
  while (!signal.aborted) {
    const poll = await fetchUpdates(polling, { offset, holdSeconds });
    if (signal.aborted) return;
    if (poll.kind === 'updates') {
      failures = 0;
      holdSeconds = pollSeconds;
      noteAlive(polling);
      offset = await takeBatch(polling, poll.updates);
    } else if (poll.kind === 'hung') {
      account.logger.error(
        { botId: account.botId, afterMs: hungAfterMs },
        'a getUpdates call hung; it was given up and is made again',
      );
    } else {
      failures += 1;
      await waitOut(polling, poll.failure, failures);
    }
  }
}

interface PollWish {
  offset: number | undefined;
  holdSeconds: number;
}

async function fetchUpdates(polling: Polling, wish: PollWish): Promise<Poll> {
  const { signal } = polling;
  const request = new AbortController();
  const end = (): void => request.abort();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([
      callGetUpdates(polling, wish, request.signal),
      hungAfter(polling, request.signal),
    ]);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

async function callGetUpdates(
  { api }: Polling,
  { offset, holdSeconds }: PollWish,
  signal: AbortSignal,
): Promise<Poll> {
  const options = {
    limit: batchSize,
    timeout: holdSeconds,
    allowed_updates: allowedUpdates,
    ...(offset !== undefined && { offset }),
  };
  try {
    return { kind: 'updates', updates: await api.getUpdates(options, clientSignal(signal)) };
  } catch (thrown) {
    return { kind: 'failed', failure: readFailure(thrown) };
  }
}

async function hungAfter({ account }: Polling, signal: AbortSignal): Promise<Poll> {
  await account.clock.sleep(hungAfterMs, signal);
  return { kind: 'hung' };
}

/**
 * Store a batch, however long it takes; gives the next offset. After an empty answer everything below the former
 * offset is confirmed, so none is needed: ids that went down would be passed over.
 */
async function takeBatch(polling: Polling, updates: readonly Update[]): Promise<number | undefined> {
  const last = updates.at(-1);
  if (last === undefined) return undefined;
  for (const update of updates) {
    const forum = forumOf(update);
    if (forum !== null) polling.noteForum(forum);
  }
  const encoder = new TextEncoder();
  const incoming = updates.map((update) =>
    normaliseUpdate(update, encoder.encode(JSON.stringify(update)), polling.bot),
  );
  await storeUntilDone(polling, () => polling.store(incoming));
  return Math.max(...updates.map((update) => update.update_id)) + 1;
}

async function storeUntilDone({ account, signal }: Polling, store: () => Promise<unknown>): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      await store();
      return;
    } catch (thrown) {
      const waitMs = backOffMs(failures);
      const problem = thrown instanceof Error ? thrown.message : String(thrown);
      account.logger.warn(
        { botId: account.botId, waitMs, problem },
        'updates could not be stored; they stay unconfirmed and are tried again',
      );
      await account.clock.sleep(waitMs, signal);
    }
  }
}

async function waitOut(polling: Polling, failure: BotApiFailure, failures: number): Promise<void> {
  const { account, signal } = polling;
  if (isTokenRefused(failure)) throw tokenRefused(account.botId);
  if (failure.kind === 'refused' && failure.code === 409)
    return waitOutConflict(polling, failure.description);
  const waitMs = waitAfter(failure, failures);
  account.logger.warn(
    { botId: account.botId, waitMs, problem: failure.description },
    'getUpdates failed; polling goes on',
  );
  await account.clock.sleep(waitMs, signal);
}

function noteAlive({ account, onAlive }: Polling): void {
  onAlive();
  account.meter.set(
    'gateway_telegram_poll_last_success_timestamp_seconds',
    account.clock.now().getTime() / 1000,
    { bot: account.botId },
  );
}
