import type { Clock } from '@palimpsest/core';

/** Nothing arrived for too long. */
export class StreamIdle extends Error {
  readonly idleMs: number;
  constructor(idleMs: number) {
    super(`no event for ${idleMs} ms`);
    this.idleMs = idleMs;
  }
}

/** The caller's signal fired. */
export class StreamAborted extends Error {
  constructor() {
    super('aborted');
  }
}

/**
 * Read a vendor's stream to its end.
 *
 * The SDKs end a stream that was aborted without throwing, so that half an answer looks whole: here an abort always
 * throws StreamAborted, at once, and a stream that is silent for `idleMs` throws StreamIdle. The connection is closed
 * in either case, also when the reader leaves early.
 */
export async function* guardStream<T>(
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  limits: { signal: AbortSignal; idleMs: number; clock: Clock; onOpen?: () => void },
): AsyncGenerator<T> {
  const { signal, idleMs, clock } = limits;
  if (signal.aborted) throw new StreamAborted();
  const connection = new AbortController();
  const aborted = onceAborted(signal);
  const guarded = async <R>(step: Promise<R>): Promise<R> => {
    step.catch(() => undefined);
    const idle = new AbortController();
    try {
      return await Promise.race([step, aborted.promise, idleAfter(idleMs, clock, idle.signal)]);
    } finally {
      idle.abort();
    }
  };
  try {
    const stream = (await guarded(open(connection.signal)))[Symbol.asyncIterator]();
    limits.onOpen?.();
    for (;;) {
      const step = await guarded(stream.next());
      if (signal.aborted) throw new StreamAborted();
      if (step.done) return;
      yield step.value;
    }
  } finally {
    aborted.forget();
    connection.abort();
  }
}

function onceAborted(signal: AbortSignal): { promise: Promise<never>; forget(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const onAbort = (): void => reject(new StreamAborted());
  signal.addEventListener('abort', onAbort, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', onAbort) };
}

async function idleAfter(idleMs: number, clock: Clock, over: AbortSignal): Promise<never> {
  await clock.sleep(idleMs, over);
  if (!over.aborted) throw new StreamIdle(idleMs);
  return new Promise<never>(() => {});
}
