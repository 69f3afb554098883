/** Events and who is to hear of them are written with what they speak of: both stand there, or nothing does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHookStore } from '../../packages/store/src/hooks/create-hook-store.ts';
import { applyPlan, sessionWith } from '../support/compacted-sessions.ts';
import { summaryPlan } from '../support/plans.ts';
import { openStoreWorld, textsOf, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
  await createHookStore(world.db).subscribe([
    { name: 'all', events: [] },
    { name: 'compactions', events: ['session:compress'] },
    { name: 'resets', events: ['session:reset'] },
  ]);
});
afterAll(() => world[Symbol.asyncDispose]());

/** Each transaction that has a row for a subscriber fails at its very end. */
async function refuseCommits() {
  await world.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'not today'; END $$`);
  await world.query(`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON hook_deliveries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`);
  return { [Symbol.asyncDispose]: () => world.query('DROP FUNCTION refuse CASCADE').then(() => {}) };
}

const toldOf = (sessionId: string) =>
  world.query(
    `SELECT e.type, h.subscriber FROM events e LEFT JOIN hook_deliveries h ON h.session_id = e.session_id AND h.event_id = e.id
     WHERE e.session_id = $1 AND e.type = 'session:compress' ORDER BY h.subscriber`,
    [sessionId],
  );

test('a compaction that is rolled back leaves its rows as they were, and neither an event nor who should hear of it', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const plan = summaryPlan(session.ids.slice(0, 3), 'a summary');

  {
    await using _refused = await refuseCommits();
    await expect(applyPlan(world, session, plan)).rejects.toThrow();
  }

  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
  expect(await toldOf(session.sessionId)).toEqual([]);
  expect(
    await world.query('SELECT 1 FROM hook_deliveries WHERE session_id = $1', [session.sessionId]),
  ).toEqual([]);
});

test('a compaction that is committed has its event, and a row for each who wants it', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);

  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 3), 'a summary'));

  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['a summary', 'four']);
  expect(await toldOf(session.sessionId)).toEqual([
    { type: 'session:compress', subscriber: 'all' },
    { type: 'session:compress', subscriber: 'compactions' },
  ]);
});
