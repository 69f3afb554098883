/** A gateway on a store of its own; the test is the person in front of it and the worker behind it. */
import { startGateway } from '@palimpsest/gateway';
import {
  parseConfig,
  silentLogger,
  silentMeter,
  turnReplyKey,
  type IncomingMessage,
  type Logger,
  type PlatformListener,
  type PlatformSender,
  type StoreUpdates,
  type Turn,
  type TurnOutcome,
} from '@palimpsest/core';
import { openTestStore } from './open-test-store.ts';
import { quickClock } from './quick-clock.ts';

export interface Said {
  chatId: string;
  messageId: string;
  text?: string;
  kind?: 'direct' | 'group';
  language?: string;
}

export type AnsweringWorld = Awaited<ReturnType<typeof openAnsweringWorld>>;

export async function openAnsweringWorld(
  makeSender: () => PlatformSender,
  {
    config = '',
    speed = 20,
    logger = silentLogger,
  }: { config?: string; speed?: number; logger?: Logger } = {},
) {
  const stack = new AsyncDisposableStack();
  const { store, sql } = stack.use(await openTestStore());
  const settings = parseConfig(
    config || 'platforms: {telegram: {allow_all: true}, discord: {allow_all: true}}',
    'test',
  );
  let bells: (() => unknown)[] = [];
  let listening = Promise.withResolvers<StoreUpdates>();
  let gateways = 0;

  /** Another process over the same store. */
  function open() {
    const sender = makeSender();
    const listener: PlatformListener = {
      account: sender.account,
      run: async (storeUpdates, signal) => {
        listening.resolve(storeUpdates);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      lastAlive: () => null,
    };
    return startGateway(
      {
        store,
        queue: {
          wake: async () => {},
          deliver: async () => {},
          fetchMedia: async () => {},
          workMedia: async () => ({ stop: async () => {} }),
          workDeliveries: async (_account, handler) => {
            bells.push(handler);
            return { stop: async () => void (bells = bells.filter((bell) => bell !== handler)) };
          },
        } as Parameters<typeof startGateway>[0]['queue'],
        config: settings,
        clock: quickClock(speed),
        logger,
        meter: silentMeter,
        owner: `gateway-${(gateways += 1)}`,
      },
      [{ listener, sender }],
    );
  }

  let gateway = open();
  stack.defer(() => gateway.stop());
  const ring = (): void => bells.forEach((bell) => void bell());

  async function say({ chatId, messageId, text = 'hi', kind = 'direct', language }: Said): Promise<string> {
    const storing = await listening.promise;
    const content: IncomingMessage = {
      kind: 'message',
      chat: { chatId, threadId: '', kind },
      sender: { id: '7', name: 'Ada', isBot: false, ...(language !== undefined && { language }) },
      messageId,
      text,
      sentAt: new Date(),
      addressed: true,
    };
    const raw = new TextEncoder().encode('{}');
    const [stored] = await storing([{ updateKey: `${chatId}-${messageId}`, raw, content }]);
    return stored!.sessionId!;
  }

  /** Claim the session as a worker does. */
  async function claim(sessionId: string) {
    const claimed = await store.turns.claim(sessionId, 'worker', 600_000);
    if (claimed.kind !== 'claimed') throw new Error(`the session is ${claimed.kind}`);
    const work = await store.turns.nextWork(claimed.lease, {
      maxTexts: 20,
      maxCharacters: 100_000,
      maxAttempts: 3,
      collect: true,
      lists: {
        telegram: { allowAll: true, allowedUsers: [], allowedChats: [] },
        discord: { allowAll: true, allowedUsers: [], allowedChats: [] },
        local: { allowAll: true, allowedUsers: [], allowedChats: [] },
      },
      render: (row) => ({
        role: 'user',
        kind: 'person',
        parts: [{ type: 'text', text: row.content.kind === 'message' ? row.content.message.text : '' }],
        tokens: 1,
      }),
    });
    if (work.kind !== 'turn') throw new Error(`there is ${work.kind} to do`);
    return { lease: claimed.lease, turn: work.turn };
  }

  return {
    store,
    sql,
    say,
    ring,
    /** A turn that answers what was said; `write` is what the model has said so far. */
    async answer(said: Said) {
      const sessionId = await say(said);
      const { lease, turn } = await claim(sessionId);
      const end = { lease, turnId: turn.id, step: 1, usage: null, events: [] };
      return {
        turn,
        lease,
        write: (text: string) =>
          store.turns.putProgress({
            sessionId,
            turnId: turn.id,
            chatRowId: turn.chat.chatRowId,
            text,
            note: '',
          }),
        async finish(text: string, outcome: TurnOutcome = 'answered') {
          const parts = [{ type: 'text', text } as const];
          await store.turns.finishTurn({
            ...end,
            outcome,
            rows: outcome === 'answered' ? [{ role: 'assistant', kind: 'assistant', parts, tokens: 1 }] : [],
            replies: [replyOf(turn, text, outcome)],
          });
          await store.turns.release(lease);
          ring();
        },
        /** The model chose to say nothing. */
        async fallSilent() {
          await store.turns.finishTurn({ ...end, outcome: 'answered', rows: [], replies: [] });
          await store.turns.release(lease);
          ring();
        },
        /** The turn is given up; nothing is said about it. */
        async bury() {
          await store.turns.buryTurn(lease, turn, []);
          ring();
        },
      };
    },
    /** The process ends, with what it has on its way, and another one begins. */
    async restart() {
      await gateway.stop();
      listening = Promise.withResolvers<StoreUpdates>();
      gateway = open();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function replyOf(turn: Turn, text: string, outcome: TurnOutcome) {
  const kind = outcome === 'answered' ? ('final' as const) : ('notice' as const);
  return { key: turnReplyKey(turn.id), chat: turn.chat, kind, text, turnId: turn.id };
}
