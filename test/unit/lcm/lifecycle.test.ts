import { textOfParts } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { changeOf, LcmWorld } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { answerRow, userRow, words } from '../../support/memory-transcript.ts';

const small = {
  fresh_tail_count: 2,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
};

function talk(world: LcmWorld, turns: number): void {
  for (let turn = 1; turn <= turns; turn++)
    world.append(userRow(`question ${turn} ${words(100)}`), answerRow(`answer ${turn} ${words(100)}`));
}

async function deepWorld(): Promise<LcmWorld> {
  const world = new LcmWorld({
    ...small,
    condensed_min_fanout: 2,
    incremental_max_depth: 1,
    condensed_min_fanout_hard: 100,
    summary_prefix_target_tokens: 1,
    max_sweep_iterations: 100,
  });
  talk(world, 30);
  await world.condense();
  talk(world, 5);
  return world;
}

test.each([
  [-1, 'every summary and every message'],
  [0, 'every summary'],
  [1, 'the summaries of depth 1'],
  [2, 'the deepest there are'],
])('A43 /new with a depth of %i keeps %s', async (depth) => {
  const world = await deepWorld();
  const before = world.store.items.map(({ summaryId }) => summaryId);
  const rows = world.transcript.rows.length;
  world.config.context.lcm.new_session_retain_depth = depth;

  const plan = await (await world.engine()).newChapter!(world.transcript);
  world.apply(plan!);

  const after = world.store.items.map(({ summaryId }) => summaryId);
  const isDeep = (id: string): boolean => world.store.nodes.get(id)!.depth >= 1;
  expect(after).toEqual(depth <= 0 ? before : before.filter(isDeep));
  expect(world.transcript.rows.length).toBe(depth === -1 ? rows : 0);
  expect(world.store.boundarySeq).toBe(depth === -1 ? 0 : world.transcript.all.at(-1)!.seq + 1);
});

test('a session that is left becomes rows any engine reads, and each message is still under them', async () => {
  const world = new LcmWorld({ ...small, incremental_max_depth: 0, summary_prefix_target_tokens: 100_000 });
  talk(world, 6);
  await world.condense();
  const items = world.store.items.length;

  const plan = (await (await world.engine()).leave(world.transcript))!;
  world.apply(plan);

  expect(changeOf(plan)).toMatchObject({ leave: true });
  expect([items > 1, world.store.items, plan.write.length]).toEqual([true, [], 1]);
  const rows = world.transcript.rows;
  expect(rows[0]!.kind).toBe('summary');
  expect(textOfParts(rows[0]!.parts)).toMatch(/^\[CONTEXT COMPACTION\] Earlier turns were compacted/);
  expect(rows.slice(1).map(({ kind }) => kind)).toEqual(['person', 'assistant']);
});

test('without a summary there is nothing to leave and nothing to enter', async () => {
  const world = new LcmWorld(small);
  talk(world, 2);
  const engine = await world.engine();

  expect(await engine.leave(world.transcript)).toBeNull();
  expect(await engine.enter(world.transcript)).toBeNull();
});

test('/lcm answers status, doctor and help, and nothing of it is told to the model', async () => {
  const world = new LcmWorld(small);
  talk(world, 8);
  await world.condense();
  const engine = await world.engine();
  const [command] = engine.commands();

  const status = await command!.run('', world.transcript);
  const doctor = await command!.run('doctor', world.transcript);
  const other = await command!.run('fly', world.transcript);

  expect(status.text).toContain('2 messages word for word');
  expect(status.text).toContain('The summary model is free.');
  expect(doctor.text).toBe('Nothing is wrong with the history of this session.');
  expect(other.text).toMatch(/^\/lcm has no "fly"\.\n\/lcm status/);
});

test('A45 doctor apply writes a new revision beside the old row, which names it', async () => {
  const world = new LcmWorld({ ...small, incremental_max_depth: 0 }, { summariser: models.empty() });
  talk(world, 3);
  await world.condense();
  const [old] = [...world.store.nodes.keys()];
  world.store.problems = [{ check: 'fallback_summary', severity: 'weak', summaryId: old!, messageId: null }];
  world.summariser = models.shrinking();
  const [command] = (await world.engine()).commands();

  const { text, plan } = await command!.run('doctor apply', world.transcript);
  world.apply(plan!);

  expect(text).toContain('written anew');
  const [first, second] = [...world.store.nodes.values()];
  expect(first).toMatchObject({ id: old, escalation: 'fallback', supersededBy: second!.id });
  expect(second).toMatchObject({ escalation: 'normal', messageIds: first!.messageIds });
  expect(world.store.items).toEqual([{ summaryId: second!.id, ordinal: 1024 }]);
});
