/** Whatever is said, condensed and taken back: Postgres holds every accepted row once, as it was, in one state. */
import type { MessageRow, TranscriptView } from '@palimpsest/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { budgetOf, compressorFor, fixedClock } from '../support/compress.ts';
import { applyPlan, idsOf } from '../support/compacted-sessions.ts';
import { aSession, ScriptedSummariser, userRow } from '../support/memory-transcript.ts';
import { openStoreWorld, type StoreWorld, type TestSession } from '../support/store-world.ts';
import { anyTurnWithImages } from '../support/transcript-arbitrary.ts';
import { rowsAsStored, undoOf } from '../support/undo.ts';

const windowTokens = 8_000;
const tailModes = ['lean', 'legacy'] as const;
type TailMode = (typeof tailModes)[number];

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const anyStep = fc.record({
  turns: fc.array(anyTurnWithImages(250), { minLength: 1, maxLength: 7 }),
  next: fc.constantFrom(
    'condense',
    'condense',
    'condense locally',
    'take the condensation back',
    'take the message back',
  ),
});

test.each(tailModes)(
  '%s: live, archived and withdrawn rows together are what was accepted, each once',
  async (tail_mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 6 }), async (steps) => {
        const session = await world.newSession();
        const applied: number[] = [];
        const accepted = new Map<number, Record<string, unknown>>();
        for (const { turns, next } of steps) {
          const said = await world.append(session.lease, [...turns.flat(), userRow('and now?')]);
          await remember(session, said, accepted);
          if (next === 'take the message back') await withdraw(session, said.at(-1)!);
          else if (next !== 'take the condensation back')
            applied.push(...(await condense(session, { tail_mode, next })));
          else if (applied.length > 0) await undoOf(world, session, { compactionId: applied.pop()! });

          await expectKept(session, accepted);
          await expectViewAsStored(session);
        }
      }),
      { numRuns: 25 },
    );
  },
);

/** The store remembers what it read; that is always what one who never read before is given. */
async function expectViewAsStored({ sessionId }: TestSession): Promise<void> {
  const view = await world.transcript.liveView(sessionId, 2_000);
  const stored = await world.transcript.liveRows(sessionId);
  expect(view.bodies).toEqual(stored);
  expect(view.rows).toEqual(stored.map(({ parts: _texts, ...header }) => header));
}

async function remember(
  session: TestSession,
  said: readonly MessageRow[],
  accepted: Map<number, Record<string, unknown>>,
): Promise<void> {
  const ids = new Set(idsOf(said));
  for (const row of await rowsAsStored(world, session.sessionId))
    if (ids.has(Number(row['id']))) accepted.set(Number(row['id']), row);
}

async function condense(
  session: TestSession,
  wish: { tail_mode: TailMode; next: string },
): Promise<number[]> {
  const rows = await world.transcript.liveRows(session.sessionId);
  const view: TranscriptView = {
    session: aSession({ id: session.sessionId }),
    rows,
    bodies: async (ids) =>
      new Map((await world.transcript.bodies(session.sessionId, ids)).map((row) => [row.id, row])),
  };
  const budget = budgetOf(windowTokens);
  const plan = await compressorFor(windowTokens, { tail_mode: wish.tail_mode }).compress(
    view,
    {
      layer: 'agent',
      trigger: 'threshold',
      mode: wish.next === 'condense' ? 'full' : 'local',
      force: false,
      budget,
      promptTokens: rows.reduce((sum, row) => sum + row.tokens, budget.overheadTokens),
      promptTokensSource: 'estimate',
    },
    { summariser: new ScriptedSummariser(), clock: fixedClock, signal: new AbortController().signal },
  );
  if (plan.kind === 'none') return [];
  const id = await applyPlan(world, session, plan);
  const after = await world.transcript.liveRows(session.sessionId);
  const tokens = (of: readonly MessageRow[]): number => of.reduce((sum, row) => sum + row.tokens, 0);
  expect(tokens(after)).toBeLessThan(tokens(rows));
  expect(after.filter((row) => row.kind === 'summary').length).toBeLessThanOrEqual(1);
  expect(isNewestMessageLive(rows, after)).toBe(true);
  return [id];
}

function isNewestMessageLive(before: readonly MessageRow[], after: readonly MessageRow[]): boolean {
  const newest = before.findLast((row) => row.kind === 'person');
  return newest === undefined || after.some((row) => row.id === newest.id || row.replaces === newest.id);
}

async function withdraw(session: TestSession, row: MessageRow): Promise<void> {
  await world.query('UPDATE messages SET active = 0 WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    row.id,
  ]);
}

async function expectKept(
  session: TestSession,
  accepted: ReadonlyMap<number, Record<string, unknown>>,
): Promise<void> {
  const stored = (await rowsAsStored(world, session.sessionId)).filter(
    (row) => row['replaces'] === null && row['kind'] !== 'summary',
  );
  expect(stored).toEqual([...accepted.values()]);
  const states = await world.query<{ state: string; rows: number }>(
    `SELECT active || '/' || compacted AS state, count(*)::int AS rows FROM messages
      WHERE session_id = $1 AND replaces IS NULL AND kind <> 'summary' GROUP BY 1`,
    [session.sessionId],
  );
  expect(states.every(({ state }) => ['1/0', '0/1', '0/0'].includes(state))).toBe(true);
  expect(states.reduce((sum, { rows }) => sum + rows, 0)).toBe(accepted.size);
}
