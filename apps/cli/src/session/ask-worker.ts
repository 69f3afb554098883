import {
  GatewayError,
  systemClock,
  type Command,
  type LedgerRow,
  type OperatorAct,
  type OperatorRequest,
  type RequestState,
} from '@palimpsest/core';
import { operator } from '../operator.ts';
import type { StoreAndQueue } from '../with-store.ts';

export interface Answered {
  text: string;
  /** What the ledger gained by it; null when nothing was changed. */
  ledger: LedgerRow | null;
}

const lookEveryMs = 200;

/**
 * Let the worker that holds (or takes) the session do something to it: a mailbox row, a wake-up, then wait for the answer.
 * throws not_done when no worker runs, when nobody took the request up in time (it is then taken back), when it failed,
 * or when the session was left meanwhile
 */
export async function askWorker(
  parts: StoreAndQueue,
  sessionId: string,
  wish: { command: Command; act: OperatorAct; waitMs: number },
): Promise<Answered> {
  const { store, queue, logger } = parts;
  if (!(await store.leases.holder('sweeper'))) throw notDone(noWorkerText);
  const [newest] = await store.compactions.ledger({ sessionId, limit: 1 });
  const { command, act } = wish;
  const request = await store.actions.request(sessionId, { command, act, actor: operator() });
  await queue.wake(sessionId).catch(() => {
    logger.warn({ sessionId }, "wake-up not queued; the worker's sweeper will find the request");
  });
  const { state, answer } = await waitFor(parts, request, wish.waitMs);
  if (state !== 'done') throw notDone(await unansweredText(parts, request, state));
  const ledger = await store.compactions.ledger({ sessionId, limit: 10 });
  const gained = ledger.find((row) => row.figures !== null && row.id > (newest?.id ?? 0));
  return { text: answer ?? '', ledger: gained ?? null };
}

const noWorkerText =
  'no worker is running, and only a worker may change a session. Start one with npm start or palimpsest worker.';

function notDone(text: string): GatewayError {
  return new GatewayError('not_done', text);
}

async function waitFor(
  { store }: StoreAndQueue,
  request: OperatorRequest,
  waitMs: number,
): Promise<RequestState> {
  const until = performance.now() + waitMs;
  for (;;) {
    const seen = await store.operators.requestState(request);
    const isOpen = seen.state === 'pending' || seen.state === 'claimed';
    if (!isOpen || performance.now() >= until) return seen;
    await systemClock.sleep(lookEveryMs);
  }
}

async function unansweredText(
  { store }: StoreAndQueue,
  request: OperatorRequest,
  state: RequestState['state'],
): Promise<string> {
  const { sessionId } = request;
  switch (state) {
    case 'gone':
      return `session ${sessionId} was left for a new one while the request waited; it is carried out there, see \`session list\`.`;
    case 'dead':
      return `the request failed several times and was given up; the worker's log says why.`;
    case 'withdrawn':
      return 'the request was taken back by somebody else.';
    default:
      if (await store.operators.withdrawRequest(request))
        return `nobody took the request up in time, so it was taken back: session ${sessionId} is busy with a turn. Try again, or give --wait more seconds.`;
      return `the request is still being carried out; \`session show ${sessionId}\` will tell how it ended.`;
  }
}
