import { accountKey, type MediaFetcher, type Stoppable } from '@palimpsest/core';
import { Bell } from './bell.ts';
import type { GatewayDeps } from './deps.ts';
import { fetchMessage, holdMs } from './fetch-message.ts';
import { problemOf } from './problem-of.ts';

/** Messages whose files are fetched at once for one account; each may hold the largest file in memory. */
const messagesAtOnce = 4;
/** In case a wake-up was lost; the look is one small query. */
const lookEveryMs = 5_000;

/**
 * Fetch the files of one account's messages, right after they are stored: on a queue wake-up and every few seconds. Any
 * process that serves the account may do it, since each takes its messages for itself. What it cannot finish, as when it
 * ends, another takes after a while; a message that nobody fetches anything for is read without its files in the end.
 */
export async function runMedia(deps: GatewayDeps, fetcher: MediaFetcher, signal: AbortSignal): Promise<void> {
  const account = accountKey(fetcher.account);
  const bell = new Bell(signal);
  const running = new Set<Promise<void>>();
  let jobs: Stoppable | null = null;
  while (!signal.aborted) {
    bell.hush();
    try {
      jobs ??= await deps.queue.workMedia(account, async () => bell.ring());
      while (running.size < messagesAtOnce && !signal.aborted) {
        const [task] = await deps.store.media.take(fetcher.account, {
          limit: 1,
          holdMs: holdMs(deps.config),
        });
        if (task === undefined) break;
        const one = fetchMessage(deps, fetcher, { task, signal }).finally(() => {
          running.delete(one);
          bell.ring();
        });
        running.add(one);
      }
      await bell.silence(lookEveryMs);
    } catch (thrown) {
      deps.logger.warn({ account, problem: problemOf(thrown) }, 'fetching files interrupted; trying again');
      await bell.silence(1_000);
    }
  }
  await jobs?.stop(1_000);
  await Promise.allSettled(running);
}
