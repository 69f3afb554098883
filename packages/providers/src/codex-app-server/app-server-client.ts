import type { ModelClient, ModelEvent, ModelRequest, ThreadCompaction } from '@palimpsest/core';

import { Recent } from '../recent.ts';
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

/** Threads whose rest after a failure is remembered; a forgotten one only tries once more. */
const mostResting = 2_000;

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
  const threads = new ThreadBook(server, route.wireModel, help.clock);
  const own: AppServerHelp = {
    route,
    help,
    server,
    threads,
    auto: options.auto,
    restUntil: new Recent(mostResting),
  };
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
        if (!opened) return { kind: 'nothing' };
        return await compactThread(opened, signal, own).finally(() => threads.release(opened));
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
        ? await threads.begin(system, true)
        : await threads.open(request.messages, findMark(request.messages, route.info.issuer), system);
    try {
      yield* condenseFirst(request, signal, { opened, own });
      yield* runTurn(request, signal, { opened, own });
    } finally {
      await threads.release(opened);
    }
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
  const { threadId, contextTokens } = opened;
  const now = own.help.clock.now().getTime();
  const isDue = compactAtTokens && contextTokens !== null && contextTokens >= compactAtTokens;
  if (own.auto !== 'hermes' || !isDue || now < (own.restUntil.get(threadId) ?? 0)) return;
  const { kind, ...done } = await compactThread(opened, signal, own);
  if (kind === 'compacted' && 'items' in done) yield { type: 'compaction', ...done };
}

async function* runTurn(
  request: ModelRequest,
  signal: AbortSignal,
  { opened, own }: { opened: OpenThread; own: AppServerHelp },
): AsyncGenerator<ModelEvent> {
  const { route, help, server, threads } = own;
  const { threadId, unseenFrom } = opened;
  const text = turnInput(request.messages.slice(unseenFrom), route.info.windowTokens);
  const params = { threadId, input: [{ type: 'text', text, text_elements: [] }] };
  const isKept = request.purpose === 'turn';
  // Until the turn has ended well the conversation does not hold it.
  if (isKept) threads.note(threadId, { lastTurnId: null, contextTokens: null });
  const { end, progress } = yield* followTurn(server, {
    threadId,
    method: 'turn/start',
    params,
    signal,
    idleMs: help.idleMs,
    clock: help.clock,
  });
  if (end.type === 'done' && isKept && progress.turnId !== null) {
    const { turnId, contextTokens } = progress;
    threads.note(threadId, { lastTurnId: turnId, contextTokens });
    const mark: ThreadMark = { type: 'thread', threadId, turnId, contextTokens };
    yield { type: 'sidecar', issuer: route.info.issuer, item: mark };
  }
  yield end;
}
