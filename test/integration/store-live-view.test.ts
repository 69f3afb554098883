/** The live rows for a prompt: read once, then only what has come since, and all anew where rows were rewritten. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userRow } from '../support/memory-transcript.ts';
import { createTranscriptStore } from '../../packages/store/src/transcript/transcript-store.ts';
import { LiveViews } from '../../packages/store/src/transcript/live-view.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function textsOf(sessionId: string, newest = 2_000): Promise<readonly string[]> {
  const { bodies } = await world.transcript.liveView(sessionId, newest);
  return bodies.map(({ parts: [part] }) => (part?.type === 'text' ? part.text : ''));
}

test('rows that came since are added to those read before, which are not read again', async () => {
  const { sessionId, lease } = await world.newSession();
  await world.append(lease, [userRow('one'), userRow('two')]);
  const before = await world.transcript.liveView(sessionId, 2_000);
  await world.append(lease, [userRow('three')]);

  const after = await world.transcript.liveView(sessionId, 2_000);

  expect(await textsOf(sessionId)).toEqual(['one', 'two', 'three']);
  expect(after.rows[0]).toBe(before.rows[0]);
  expect(after.bodies[1]).toBe(before.bodies[1]);
});

test.each([
  ['archived', 'UPDATE messages SET active = 0, compacted = 1 WHERE session_id = $1 AND id = $2', ['two']],
  [
    'written anew',
    `UPDATE messages SET parts = '[{"type":"text","text":"-"}]' WHERE session_id = $1 AND id = $2`,
    ['-', 'two'],
  ],
])('a row that is %s by any statement is seen so at once', async (_what, statement, expected) => {
  const { sessionId, lease } = await world.newSession();
  const [first] = await world.append(lease, [userRow('one'), userRow('two')]);
  await textsOf(sessionId);

  await world.query(statement, [sessionId, first!.id]);

  expect(await textsOf(sessionId)).toEqual(expected);
});

test('who wants more texts than were read before gets them', async () => {
  const { sessionId, lease } = await world.newSession();
  await world.append(lease, [userRow('one'), userRow('two'), userRow('three')]);

  expect(await textsOf(sessionId, 1)).toEqual(['three']);
  expect(await textsOf(sessionId, 2)).toEqual(['two', 'three']);
  expect((await world.transcript.liveView(sessionId, 1)).rows).toHaveLength(3);
});

test('a session that is not there has no rows', async () => {
  expect(await world.transcript.liveView('nobody', 10)).toMatchObject({ rows: [], bodies: [] });
});

test('of many short rows no more is remembered than memory is given for, whatever they say', async () => {
  const few = createTranscriptStore(world.db, new LiveViews(8_000));
  const isKept = async (sessionId: string): Promise<boolean> => {
    const [once] = (await few.liveView(sessionId, 10)).rows;
    return (await few.liveView(sessionId, 10)).rows[0] === once;
  };
  const { sessionId, lease } = await world.newSession();
  // About 810 bytes each, and one session may take a quarter of it all.
  await world.append(lease, [userRow('one'), userRow('two')]);
  expect(await isKept(sessionId)).toBe(true);

  await world.append(lease, [userRow('three')]);

  expect(await isKept(sessionId)).toBe(false);
});
