/** Ports of the lossless engine by itself, over the store's Postgres. */
import { GatewayError, silentLogger, type CompactionPlan, type Lease, type Session } from '@palimpsest/core';
import type { StandAlonePorts } from '@palimpsest/engines';
import { openHistory, openStore } from '@palimpsest/store';

const account = { platform: 'local', id: 'stand-alone' } as const;
const sender = { id: 'me', name: 'me', isBot: false };
const leaseMs = 60_000;

/** Of every compaction here; windows and thresholds are the caller's own affair. */
const opening = {
  engine: 'lcm',
  layer: 'manual',
  trigger: 'manual',
  windowTokens: 0,
  windowSource: 'config',
  thresholdRaw: 0,
  triggerTokens: 0,
  mainModel: 'stand-alone',
} as const;

/** Open them on a database whose schema is there; each conversation is a chat of its own. */
export async function openStandAlonePorts(databaseUrl: string): Promise<StandAlonePorts & AsyncDisposable> {
  const store = await openStore({ databaseUrl, logger: silentLogger });
  const history = openHistory({ databaseUrl, logger: silentLogger });
  const chats = new Map<string, string>();

  const sessionNow = async (id: string): Promise<Session> => {
    const session = await store.turns.session(id);
    if (!session) throw new GatewayError('row_missing', `session ${id} is gone; open the conversation again`);
    return session;
  };

  const importInto = (chatId: string, rows: Parameters<StandAlonePorts['append']>[1]): Promise<string> => {
    const place = { chatId, threadId: '', kind: 'direct', title: chatId, userId: sender.id } as const;
    return history.importRows({ account, place, sender, engine: 'lcm', rows });
  };

  const whileHeld = async (id: string, work: (lease: Lease) => Promise<unknown>): Promise<void> => {
    const claim = await store.turns.claim(id, 'stand-alone', leaseMs);
    if (claim.kind !== 'claimed')
      throw new GatewayError('lease_lost', `session ${id} is ${claim.kind}; try again when it is free`);
    await work(claim.lease);
    await store.turns.release(claim.lease);
  };

  const apply = (session: Session, plan: CompactionPlan): Promise<void> =>
    whileHeld(session.id, async (lease) => {
      const opened = await store.compactions.open({ ...opening, sessionId: session.id, epoch: lease.epoch });
      await store.compactions.apply(lease, opened, plan, []);
    });

  return {
    lcm: store.lcm,
    async open(name) {
      const id = await importInto(name, []);
      chats.set(id, name);
      return sessionNow(id);
    },
    async append(session, rows) {
      await importInto(chats.get(session.id) ?? session.id, rows);
    },
    async view(session) {
      const rows = await store.transcript.liveHeaders(session.id);
      return {
        session: await sessionNow(session.id),
        rows,
        bodies: async (ids) =>
          new Map((await store.transcript.bodies(session.id, ids)).map((row) => [row.id, row])),
      };
    },
    apply,
    async [Symbol.asyncDispose]() {
      await history.close();
      await store.close();
    },
  };
}
