import type { Clock, ModelEvent } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import type { AppServer } from './app-server.ts';
import type { Notification } from './json-peer.ts';
import { requestFailure } from './turn-failure.ts';
import { TurnProgress } from './turn-progress.ts';
import type { TurnEnd } from './turn-progress.ts';

/** A stopped turn is not waited for longer than this, ms; the thread is left behind then. */
const interruptWithinMs = 5_000;

export interface TurnWish {
  threadId: string;
  /** The request that begins the turn, and what it is given. */
  method: 'turn/start' | 'thread/compact/start';
  params: object;
  signal: AbortSignal;
  /** Nothing told for this long ends the turn, ms. */
  idleMs: number;
  clock: Clock;
}

/** Told of the thread, answered to the request that began the turn (method ''), or what went wrong with either. */
type Heard = Notification | Error;

/** What was heard, in order, for one reader. */
class Mailbox {
  readonly #waiting: Heard[] = [];
  #wake: (() => void) | null = null;

  readonly put = (heard: Heard): void => {
    this.#waiting.push(heard);
    this.#wake?.();
  };

  take(): Heard | undefined {
    return this.#waiting.shift();
  }

  /** Resolves when there is something to take. */
  filled(): Promise<void> {
    if (this.#waiting.length > 0) return Promise.resolve();
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

/**
 * Begin a turn and follow it to its end. Notifications may come before the answer to the request, so the reader listens
 * first. An abort and a silence interrupt the turn. Returns the progress with its end.
 */
export async function* followTurn(
  server: AppServer,
  wish: TurnWish,
): AsyncGenerator<ModelEvent, { end: TurnEnd; progress: TurnProgress }> {
  const mailbox = new Mailbox();
  const progress = new TurnProgress(wish.threadId);
  const forget = server.listen(wish.threadId, mailbox.put);
  try {
    if (wish.signal.aborted) return { end: stopped(), progress };
    void server
      .request(wish.method, wish.params)
      .then((params) => mailbox.put({ method: '', params }), mailbox.put);
    for (;;) {
      const why = await waitFor(mailbox, wish);
      if (why !== 'heard') {
        await interrupt(server, { wish, progress, mailbox });
        const silent = failure('timeout', `the Codex app-server was silent for ${wish.idleMs / 1000} s`);
        return { end: why === 'aborted' ? stopped() : { type: 'failed', failure: silent }, progress };
      }
      const heard = mailbox.take();
      if (heard instanceof Error)
        return { end: { type: 'failed', failure: requestFailure(heard) }, progress };
      if (heard) yield* progress.hear(heard);
      if (progress.end) return { end: progress.end, progress };
    }
  } finally {
    forget();
  }
}

function stopped(): TurnEnd {
  return { type: 'failed', failure: failure('aborted', 'the request to the Codex app-server') };
}

async function waitFor(
  mailbox: Mailbox,
  { signal, clock, idleMs }: Pick<TurnWish, 'signal' | 'clock' | 'idleMs'>,
): Promise<'heard' | 'aborted' | 'silent'> {
  if (signal.aborted) return 'aborted';
  const over = new AbortController();
  const { promise: aborted, resolve } = Promise.withResolvers<'aborted'>();
  const onAbort = (): void => resolve('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  const silent = async (): Promise<'silent'> => {
    await clock.sleep(idleMs, over.signal);
    return over.signal.aborted ? new Promise<never>(() => {}) : 'silent';
  };
  try {
    return await Promise.race([mailbox.filled().then(() => 'heard' as const), aborted, silent()]);
  } finally {
    over.abort();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Stop a turn and give it a moment to say so, so that the next one is not refused. */
async function interrupt(
  server: AppServer,
  { wish, progress, mailbox }: { wish: TurnWish; progress: TurnProgress; mailbox: Mailbox },
): Promise<void> {
  const { threadId, clock } = wish;
  const quiet = { clock, idleMs: interruptWithinMs, signal: new AbortController().signal };
  let asked = false;
  for (;;) {
    for (let heard = mailbox.take(); heard; heard = mailbox.take()) {
      if (heard instanceof Error) return;
      progress.hear(heard);
    }
    if (progress.end) return;
    if (progress.turnId !== null && !asked) {
      asked = true;
      const { turnId } = progress;
      await server.request('turn/interrupt', { threadId, turnId }).catch(() => undefined);
    }
    if ((await waitFor(mailbox, quiet)) !== 'heard') return;
  }
}
