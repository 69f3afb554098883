/** What a block of the model's own compression hides is out of the prompt, and so it is for the search to bring back. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionWith } from '../support/compacted-sessions.ts';
import { openStoreWorld, textsOf, type StoreWorld } from '../support/store-world.ts';
import { aBlock, callRows, dcpOf } from '../support/stored-dcp.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('rows under a block are found, those beside it are before the model’s eyes', async () => {
  const session = await sessionWith(world, ['ferry at nine', 'ferry at ten', 'ferry at noon']);
  const round = await world.append(session.lease, callRows('call-1', 'ferry_times'));
  const [nine, ten] = session.ids;
  const { write } = dcpOf(world);
  const options = { limit: 10, neighbours: 0, liveOfOwnSession: false };
  const found = async (query: string): Promise<string[]> =>
    textsOf(
      (await world.transcript.search({ sessionId: session.sessionId }, query, options)).map(({ row }) => row),
    ).toSorted();

  const before = await found('ferry');
  await write(session.lease, {
    baseVersion: 0,
    refs: [...session.ids, round[0]!.id].map((unitId, index) => ({ number: index + 1, unitId })),
    blocks: [
      aBlock({ number: 1, unitIds: [nine!] }),
      aBlock({ number: 2, unitIds: [ten!, round[0]!.id], consumed: [1] }),
    ],
  });

  expect(before).toEqual([]);
  expect(await found('ferry')).toEqual(['<tool_call>', 'ferry at nine', 'ferry at ten']);
  // The result of a call lies under the block of its call.
  expect(await found('done')).toEqual(['<tool_result>']);
});

test('a block that was opened again hides nothing', async () => {
  const session = await sessionWith(world, ['ferry at nine', 'ferry at ten']);
  const { write } = dcpOf(world);
  await write(session.lease, { baseVersion: 0, blocks: [aBlock({ number: 1, unitIds: session.ids })] });
  await world.query(`UPDATE dcp_block SET status = 'user_off' WHERE session_id = $1`, [session.sessionId]);

  const options = { limit: 10, neighbours: 0, liveOfOwnSession: false };
  expect(await world.transcript.search({ sessionId: session.sessionId }, 'ferry', options)).toEqual([]);
});
