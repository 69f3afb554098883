/** One message's files: fetch each → look at its bytes → settle all in one transaction → wake the session. */
import {
  accountKey,
  type Config,
  type FetchedMedia,
  type IncomingMedia,
  type MediaFetcher,
  type MediaTask,
  type SettledMedia,
} from '@palimpsest/core';
import { readFetched } from '@palimpsest/platforms';
import type { GatewayDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';
import { mediaReply } from './media-reply.ts';

/** Tries of one file, and what is waited between them. */
const waitsMs = [1_000, 4_000] as const;
/** A platform that asks for more patience than this is not waited for. */
const longestWaitMs = 15_000;

/** After this time a message is taken as forgotten by the process that took it: all tries of a file and some more. */
export function holdMs({ media }: Config): number {
  return (waitsMs.length + 1) * media.timeout_seconds * 1000 + 2 * longestWaitMs;
}

interface Fetching {
  task: MediaTask;
  signal: AbortSignal;
}

/** Never throws: what cannot be stored now is taken again later. */
export async function fetchMessage(
  deps: GatewayDeps,
  fetcher: MediaFetcher,
  { task, signal }: Fetching,
): Promise<void> {
  try {
    const settled: SettledMedia[] = [];
    for (const media of task.wanted) settled.push(await fetchOne(deps, fetcher, { task, media, signal }));
    if (signal.aborted) return;
    const replies = mediaReply(task, settled);
    const sessionId = await deps.store.media.settle(task, settled, replies);
    if (sessionId === null) return;
    await deps.queue.wake(sessionId);
    if (replies.length > 0) await deps.queue.deliver(accountKey(fetcher.account));
  } catch (thrown) {
    deps.logger.warn(
      { account: accountKey(fetcher.account), inboxId: task.inboxId, problem: problemOf(thrown) },
      'files of a message could not be settled; trying again later',
    );
  }
}

async function fetchOne(
  deps: GatewayDeps,
  fetcher: MediaFetcher,
  one: Fetching & { media: IncomingMedia },
): Promise<SettledMedia> {
  const { task, media } = one;
  const { reference } = media;
  const answer = await fetchWithTries(deps, fetcher, one);
  const { platform } = fetcher.account;
  deps.meter.count('gateway_media_total', { platform, kind: media.kind, outcome: answer.kind });
  if (answer.kind === 'fetched') {
    const hears = deps.config.media.transcription.model !== null;
    return { reference, ...readFetched(answer.bytes, media, { hears }) };
  }
  if (answer.kind === 'too_large')
    return { reference, state: { kind: 'left', problem: 'too_large', limitBytes: answer.limitBytes } };
  deps.logger.warn(
    { platform, inboxId: task.inboxId, kind: media.kind, problem: answer.message },
    'a file could not be fetched',
  );
  return { reference, state: { kind: 'left', problem: answer.kind === 'gone' ? 'gone' : 'unreachable' } };
}

async function fetchWithTries(
  { config, clock }: GatewayDeps,
  fetcher: MediaFetcher,
  { task, media, signal }: Fetching & { media: IncomingMedia },
): Promise<FetchedMedia> {
  const limits = {
    maxBytes: config.media.max_megabytes * 1024 * 1024,
    timeoutMs: config.media.timeout_seconds * 1000,
  };
  const file = { place: task.chat.place, messageId: task.messageId, media };
  for (let tries = 0; ; tries += 1) {
    const answer = await fetcher.fetch(file, limits, signal);
    const waitMs = waitsMs[tries];
    if (answer.kind !== 'retry' || waitMs === undefined || signal.aborted) return answer;
    await clock.sleep(Math.min(longestWaitMs, Math.max(waitMs, answer.waitMs ?? 0)), signal);
  }
}
