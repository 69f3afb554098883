import {
  estimateParts,
  GatewayError,
  silentLogger,
  type HistoryStore,
  type IntakePolicy,
  type Lease,
  type NewRow,
  type Part,
  type Store,
} from '@palimpsest/core';
import { migrate, openHistory, openStore } from '@palimpsest/store';
import { createScratchDatabase, fillSessions } from '@palimpsest/testkit';
import { planOver } from './plan-over.ts';
import { timeOf } from './time-of.ts';

const account = { platform: 'local', id: 'local' } as const;
const policy: IntakePolicy = {
  account,
  lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
  engine: 'compressor',
  waitForMoreMs: 0,
  requireMention: false,
};
const loadedRows = 200;
const compactedRows = 400;
/** Head and tail that a compaction leaves alone. */
const keptRows = 20;

/** One database full of other people's rows, and the operations that are timed on it. */
const everybody = { allowAll: true, allowedUsers: [], allowedChats: [] };
const nobody = { ...everybody, allowAll: false };

export class StoreSubject {
  readonly name: string;
  readonly times = { load: [] as number[], append: [] as number[], compact: [] as number[] };
  readonly #store: Store;
  readonly #history: HistoryStore;
  #loaded = '';
  #turn: { lease: Lease; turnId: string } | null = null;
  #made = 0;
  #step = 0;

  private constructor(name: string, store: Store, history: HistoryStore) {
    this.name = name;
    this.#store = store;
    this.#history = history;
  }

  static async open(
    stack: AsyncDisposableStack,
    wish: { serverUrl: string; name: string; sessions: number; rowsPerSession: number },
  ): Promise<StoreSubject> {
    const database = stack.use(await createScratchDatabase(wish.serverUrl, 'bench'));
    await migrate(database.url);
    await fillSessions(database.url, { after: 0, sessions: wish.sessions, rows: wish.rowsPerSession });
    const store = await openStore({ databaseUrl: database.url, logger: silentLogger, poolSize: 2 });
    stack.defer(() => store.close());
    const history = openHistory({ databaseUrl: database.url, logger: silentLogger });
    stack.defer(() => history.close());
    const subject = new StoreSubject(wish.name, store, history);
    subject.#loaded = await subject.#newSession(loadedRows);
    subject.#turn = await subject.#openTurn();
    return subject;
  }

  forgetTimes(): void {
    for (const times of Object.values(this.times)) times.length = 0;
  }

  /** `count` loads and appends, and one compaction. */
  async measure(count: number): Promise<void> {
    for (let run = 0; run < count; run += 1) {
      this.times.load.push(await timeOf(() => this.#store.transcript.liveRows(this.#loaded)));
      this.times.append.push(await timeOf(() => this.#append()));
    }
    await this.#compact();
  }

  #append(): Promise<unknown> {
    const { lease, turnId } = this.#turn!;
    this.#step += 1;
    const calls = [0, 1, 2].map((call) => `call-${this.#step}-${call}`);
    const rows = [callsRow(calls), ...calls.map(resultRow)];
    return this.#store.turns.storeRound({ lease, turnId, step: this.#step, rows, usage: null });
  }

  async #compact(): Promise<void> {
    const sessionId = await this.#newSession(compactedRows + keptRows);
    const lease = await this.#claim(sessionId);
    const rows = await this.#store.transcript.liveHeaders(sessionId);
    const plan = planOver(rows.slice(keptRows / 2, keptRows / 2 + compactedRows), rows.length);
    const { compactions } = this.#store;
    const compactionId = await compactions.open({
      sessionId,
      epoch: lease.epoch,
      engine: 'compressor',
      layer: 'agent',
      trigger: 'threshold',
      windowTokens: 128_000,
      windowSource: 'config',
      thresholdRaw: 0.5,
      triggerTokens: 64_000,
      mainModel: 'bench/instant',
    });
    this.times.compact.push(await timeOf(() => compactions.apply(lease, compactionId, plan, [])));
    await this.#store.turns.release(lease);
  }

  async #newSession(rows: number): Promise<string> {
    this.#made += 1;
    return this.#history.importRows({
      account,
      place: { chatId: `bench-${this.#made}`, threadId: '', kind: 'direct' },
      sender: { id: 'bench', name: 'Bench', isBot: false },
      engine: 'compressor',
      rows: Array.from({ length: rows }, (_, index) => talkRow(index)),
    });
  }

  async #openTurn(): Promise<{ lease: Lease; turnId: string }> {
    const place = { chatId: 'bench-append', threadId: '', kind: 'direct' } as const;
    const sender = { id: 'bench', name: 'Bench', isBot: false };
    const [stored] = await this.#store.intake.storeUpdates(policy, [
      {
        updateKey: 'append',
        raw: new Uint8Array(),
        content: {
          kind: 'message',
          chat: place,
          sender,
          messageId: 'append',
          text: 'look it up',
          sentAt: new Date(),
          addressed: true,
        },
      },
    ]);
    const lease = await this.#claim(stored?.sessionId ?? '');
    const work = await this.#store.turns.nextWork(lease, {
      maxTexts: 20,
      maxCharacters: 100_000,
      maxAttempts: 3,
      collect: true,
      lists: { telegram: nobody, discord: nobody, local: everybody },
      render: () => talkRow(0),
    });
    if (work.kind === 'turn') return { lease, turnId: work.turn.id };
    throw new GatewayError('internal', `the store gave ${work.kind} instead of the turn of a stored message`);
  }

  async #claim(sessionId: string): Promise<Lease> {
    const claim = await this.#store.turns.claim(sessionId, 'bench', 3_600_000);
    if (claim.kind === 'claimed') return claim.lease;
    throw new GatewayError('internal', `the session of a bench is ${claim.kind}`);
  }
}

function talkRow(index: number): NewRow {
  const said = `Line ${index}: the second part still fits if the train is on time, and I wrote that into notes/plan-${index % 7}.md. `;
  const parts: Part[] = [{ type: 'text', text: said.repeat(2) }];
  const isPerson = index % 2 === 0;
  return {
    role: isPerson ? 'user' : 'assistant',
    kind: isPerson ? 'person' : 'assistant',
    parts,
    tokens: estimateParts(parts),
  };
}

function callsRow(ids: readonly string[]): NewRow {
  const parts: Part[] = ids.map((id) => ({
    type: 'tool_call',
    id,
    name: 'read_file',
    arguments: '{"path":"notes/plan.md"}',
  }));
  return { role: 'assistant', kind: 'assistant', parts, tokens: estimateParts(parts) };
}

function resultRow(callId: string): NewRow {
  const text = 'Thursday: train at nine, chapter two after lunch, dinner by the river. '.repeat(6);
  const parts: Part[] = [{ type: 'tool_result', callId, name: 'read_file', text, isError: false }];
  return { role: 'tool', kind: 'tool', parts, tokens: estimateParts(parts) };
}
