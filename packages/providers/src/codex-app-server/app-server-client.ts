import type { ModelClient, ModelEvent, ModelRequest, ThreadCompaction } from '@palimpsest/core';

import { withRetries } from '../retry.ts';
import type { ClientHelp, Route } from '../route.ts';
import { AppServer } from './app-server.ts';
import type { AppServerHelp, AppServerOptions } from './app-server-help.ts';
import { compactThread } from './compact-thread.ts';
import { followTurn } from './follow-turn.ts';
import { ThreadBook } from './thread-book.ts';
import type { OpenThread } from './thread-book.ts';
import { findMark } from './thread-mark.ts';
import type { ThreadMark } from './thread-mark.ts';
import { requestFailure } from './turn-failure.ts';
import { turnInput } from './turn-input.ts';

/** A failed compaction of our own accord is not tried again in that thread for this long, ms. */
const compactionRestMs = 600_000;

/**
 * The Codex program as a model: it holds each conversation as a thread, our transcript stays as it is. Tools of ours are
 * not offered to it, since it would run them itself; what it asks leave for is declined.
 */
export function createAppServerClient(
  route: Route,
  help: ClientHelp,
  options: AppServerOptions,
): ModelClient & { close(): Promise<void> } {
  const server = new AppServer(options);
  const threads = new ThreadBook(server, route.wireModel);
  const own: AppServerHelp = { route, help, server, threads, auto: options.auto, restUntil: new Map() };
  return {
    info: route.info,
    stream(request, signal) {
      const attempt = (): AsyncIterable<ModelEvent> => askOnce(request, signal, own);
      return withRetries(attempt, { clock: help.clock, random: help.random, signal });
    },
    async compactThread({ messages }, signal): Promise<ThreadCompaction> {
      const mark = findMark(messages, route.info.issuer);
      if (!mark) return { kind: 'nothing' };
      try {
        const opened = await threads.goOn(mark, null);
        return opened ? await compactThread(opened, signal, own) : { kind: 'nothing' };
      } catch (thrown) {
        return { kind: 'failed', failure: requestFailure(thrown) };
      }
    },
    close: () => server.close(),
  };
}

async function* askOnce(
  request: ModelRequest,
  signal: AbortSignal,
  own: AppServerHelp,
): AsyncGenerator<ModelEvent> {
  const { threads, route } = own;
  const system = request.system.filter((text) => text.trim() !== '').join('\n\n');
  try {
    const opened =
      request.purpose === 'summary'
        ? { ...(await threads.begin(system, true)), unseenFrom: 0 }
        : await threads.open(request.messages, findMark(request.messages, route.info.issuer), system);
    yield* condenseFirst(request, signal, { opened, own });
    yield* runTurn(request, signal, { opened, own });
  } catch (thrown) {
    yield { type: 'failed', failure: requestFailure(thrown) };
  }
}

/** At our trigger, where the config leaves it to us. A failure does not keep the message from its answer. */
async function* condenseFirst(
  { compactAtTokens }: ModelRequest,
  signal: AbortSignal,
  { opened, own }: { opened: OpenThread; own: AppServerHelp },
): AsyncGenerator<ModelEvent> {
  const { threadId, state } = opened;
  const now = own.help.clock.now().getTime();
  const isDue = compactAtTokens && state.contextTokens !== null && state.contextTokens >= compactAtTokens;
  if (own.auto !== 'hermes' || !isDue || now < (own.restUntil.get(threadId) ?? 0)) return;
  const { kind, ...done } = await compactThread(opened, signal, own);
  if (kind === 'compacted' && 'items' in done) return yield { type: 'compaction', ...done };
  if (!signal.aborted) own.restUntil.set(threadId, now + compactionRestMs);
}

async function* runTurn(
  request: ModelRequest,
  signal: AbortSignal,
  { opened, own }: { opened: OpenThread; own: AppServerHelp },
): AsyncGenerator<ModelEvent> {
  const { route, help, server } = own;
  const { threadId, unseenFrom, state } = opened;
  const text = turnInput(request.messages.slice(unseenFrom), route.info.windowTokens);
  const params = { threadId, input: [{ type: 'text', text, text_elements: [] }] };
  // Until the turn has ended well the conversation does not hold it.
  state.lastTurnId = null;
  const { end, progress } = yield* followTurn(server, {
    threadId,
    method: 'turn/start',
    params,
    totalTokens: state.totalTokens,
    signal,
    idleMs: help.idleMs,
    clock: help.clock,
  });
  if (end.type === 'done' && request.purpose === 'turn' && progress.turnId !== null) {
    const { turnId, contextTokens } = progress;
    state.lastTurnId = turnId;
    const mark: ThreadMark = { type: 'thread', threadId, turnId, contextTokens };
    yield { type: 'sidecar', issuer: route.info.issuer, item: mark };
  }
  yield end;
}
