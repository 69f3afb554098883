/**
 * Whatever sequence of updates arrives (messages, pieces, albums over two polls, edits, deletions, commands; late, repeated,
 * in the wrong order, in batches of any size), with turns taken in between: the mailbox holds what a plain model of it
 * holds, and every message that was taken has one row in the transcript, as it was last corrected before it was read.
 *
 * 10,000 sequences, new ones each time (some minutes):
 *   FUZZ_RUNS=10000 npx vitest run --project integration test/integration/mailbox-property.test.ts
 */
import type { IncomingUpdate, Lease, Store } from '@palimpsest/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzRuns, fuzzSeed } from '../support/fuzz-runs.ts';
import { answerRow, commandUpdate, listsOfAll, messageUpdate, policy, render } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

const numRuns = fuzzRuns(25);

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Messages of one sequence are known by numbers from 1 to this. */
const mostMessages = 8;
const anyId = fc.integer({ min: 1, max: mostMessages });
const anySeries = fc.constantFrom(undefined, undefined, 'text', 'album:7', 'forwards');

const anyUpdate = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('message' as const), id: anyId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      id: anyId,
      minute: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deletion' as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('command' as const), id: anyId }) },
);
type AnyUpdate = typeof anyUpdate extends fc.Arbitrary<infer Value> ? Value : never;

const anyStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('arrive' as const),
      updates: fc.array(anyUpdate, { minLength: 1, maxLength: 5 }),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), collect: fc.boolean() }) },
);

const anySequence = fc.record({
  series: fc.array(anySeries, { minLength: mostMessages, maxLength: mostMessages }),
  steps: fc.array(anyStep, { minLength: 1, maxLength: 7 }),
});
type Sequence = typeof anySequence extends fc.Arbitrary<infer Value> ? Value : never;

interface ModelRow {
  kind: 'message' | 'edit' | 'command' | 'operator';
  id: number;
  state: 'pending' | 'done' | 'withdrawn';
  text: string;
  minute: number;
}

/** What the mailbox of one session is to be, in its order. No I/O. */
class ModelMailbox {
  readonly rows: ModelRow[] = [];
  readonly #seen = new Set<string>();

  /** One batch: messages and commands stand in it before edits, and those before deletions. */
  arrive(updates: readonly AnyUpdate[]): void {
    const fresh = updates.filter((update) => this.#isNew(update));
    for (const { kind, id } of fresh)
      if (kind === 'message') this.rows.push({ kind, id, state: 'pending', text: textOf(id, 0), minute: 0 });
      else if (kind === 'command')
        this.rows.push({ kind, id, state: 'pending', text: '/compress ', minute: 0 });
    for (const update of fresh) if (update.kind === 'edit') this.#edit(update.id, update.minute);
    for (const { kind, id } of fresh) if (kind === 'deletion') this.#delete(id);
  }

  /** The same key, or the same message, is known by both. */
  #isNew(update: AnyUpdate): boolean {
    const key = keyOf(update);
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    return isNew;
  }

  #edit(id: number, minute: number): void {
    const original = this.rows.find((row) => row.kind === 'message' && row.id === id);
    if (original === undefined || original.state === 'withdrawn') return;
    // What was deleted does not come back by an edit that is late.
    if (this.rows.some((row) => row.kind === 'operator' && row.id === id && row.state === 'pending')) return;
    const latest = this.rows.findLast(
      (row) => row.id === id && (row.kind === 'message' || row.kind === 'edit'),
    )!;
    if (latest.minute >= minute) return;
    if (latest.state === 'pending') Object.assign(latest, { text: textOf(id, minute), minute });
    else this.rows.push({ kind: 'edit', id, state: 'pending', text: textOf(id, minute), minute });
  }

  #delete(id: number): void {
    const known = this.rows.filter((row) => row.id === id && (row.kind === 'message' || row.kind === 'edit'));
    if (known.length === 0) return;
    for (const row of known)
      if (row.state === 'pending') Object.assign(row, { state: 'withdrawn', text: '' });
    this.rows.push({ kind: 'operator', id, state: 'pending', text: '', minute: 0 });
  }

  /** Rows of a turn, or a command, that was carried out. */
  take(seqs: readonly number[]): void {
    for (const seq of seqs) this.rows[seq - 1]!.state = 'done';
  }
}

function textOf(id: number, minute: number): string {
  return minute === 0 ? `message ${id}` : `message ${id}, corrected at ${minute}`;
}

function keyOf({ kind, id, ...rest }: AnyUpdate): string {
  return `${kind} ${id} ${'minute' in rest ? rest.minute : ''}`;
}

/** Chats and update keys of a run are its own. */
function updateOf(update: AnyUpdate, run: number, series: Sequence['series']): IncomingUpdate {
  const chat = { chatId: String(run), threadId: '', kind: 'direct' as const };
  const key = { updateKey: `${run} ${keyOf(update)}` };
  const { id } = update;
  switch (update.kind) {
    case 'message':
      return { ...messageUpdate(id, textOf(id, 0), { chat, series: series[id - 1] }), ...key };
    case 'command': {
      const { content, raw } = commandUpdate(100 + id, 'compress');
      return { ...key, raw, content: { ...content, chat } as IncomingUpdate['content'] };
    }
    case 'deletion':
      return {
        ...key,
        raw: Buffer.from('{}'),
        content: { kind: 'deleted', chatId: chat.chatId, messageIds: [String(id)] },
      };
    case 'edit': {
      const { content, raw } = messageUpdate(id, '', { chat });
      if (content.kind !== 'message') throw new Error(content.kind);
      const editedAt = new Date(content.sentAt.getTime() + update.minute * 60_000);
      const { sender, messageId } = content;
      const text = textOf(id, update.minute);
      return { ...key, raw, content: { kind: 'edit', chat, sender, messageId, text, editedAt } };
    }
  }
}

/** Take one piece of work and carry it out; the mailbox seqs that it was about. */
async function work(store: Store, lease: Lease, collect: boolean): Promise<number[]> {
  const next = await store.turns.nextWork(lease, {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect,
    lists: listsOfAll(),
    render,
  });
  if (next.kind === 'command') {
    const { row } = next;
    if (row.content.kind === 'operator') await store.turns.answerOperator(lease, row, 'done');
    else await store.turns.finishCommand(lease, row, { replies: [] });
    return [row.seq];
  }
  if (next.kind !== 'turn') return [];
  const { turn } = next;
  await store.turns.finishTurn({
    lease,
    turnId: turn.id,
    outcome: 'answered',
    step: 1,
    rows: [answerRow('ok')],
    usage: null,
    replies: [],
    events: [],
  });
  return turn.mailbox.map((row) => row.seq);
}

let runs = 0;

async function play({ series, steps }: Sequence): Promise<void> {
  const run = ++runs;
  const model = new ModelMailbox();
  let lease: Lease | null = null;
  const read: { kind: string; text: string }[] = [];
  for (const step of steps) {
    if (step.do === 'arrive') {
      const batch = step.updates.map((update) => updateOf(update, run, series));
      const results = await world.store.intake.storeUpdates(policy({ waitForMoreMs: 0 }), batch);
      model.arrive(step.updates);
      if (step.isRepeated) {
        const again = await world.store.intake.storeUpdates(policy({ waitForMoreMs: 0 }), batch);
        expect(again.every(({ result }) => result === 'duplicate')).toBe(true);
      }
      const sessionId = results.find((result) => result.sessionId)?.sessionId;
      if (lease === null && sessionId !== undefined) {
        const claim = await world.store.turns.claim(sessionId, 'worker', 600_000);
        if (claim.kind === 'claimed') lease = claim.lease;
      }
    } else if (lease !== null) {
      const seqs = await work(world.store, lease, step.collect);
      model.take(seqs);
      for (const seq of seqs) {
        const { kind, text } = model.rows[seq - 1]!;
        if (kind === 'message') read.push({ kind, text });
        if (kind === 'edit') read.push({ kind, text: `edited: ${text}` });
      }
    }
  }
  if (lease === null) return void expect(model.rows).toEqual([]);
  expect(await stored(lease.sessionId)).toEqual(
    model.rows.map(({ kind, state, text }) => ({ kind, state, text })),
  );
  expect(await transcript(lease.sessionId)).toEqual(read.map(({ text }) => text));
}

function stored(sessionId: string): Promise<Record<string, unknown>[]> {
  return world.sql(
    `SELECT kind, state, coalesce(content #>> '{message,text}', '') AS text FROM mailbox WHERE session_id = $1 ORDER BY seq`,
    [sessionId],
  );
}

async function transcript(sessionId: string): Promise<string[]> {
  const rows = await world.sql(
    `SELECT parts -> 0 ->> 'text' AS text FROM messages WHERE session_id = $1 AND kind = 'person' ORDER BY seq`,
    [sessionId],
  );
  return rows.map((row) => String(row['text']));
}

test(
  'whatever arrives in whatever order, the mailbox is what a plain model of it is, and each message is read once',
  { timeout: 60_000 + numRuns * 1_000 },
  async () => {
    await fc.assert(fc.asyncProperty(anySequence, play), { numRuns, seed: fuzzSeed() });
  },
);
