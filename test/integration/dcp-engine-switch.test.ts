import { expect, test } from 'vitest';
import { followNudges, ignoreNudges, type ModelScript } from '@palimpsest/testkit';
import { words } from '../support/memory-transcript.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const talker: ModelScript = () => ({ text: `answer ${words(500)}` });

test('with hygiene rewrite the transcript is archived under a summary row, refs begin anew and the session goes on', async () => {
  await using world = await openTurnWorld({
    script: ignoreNudges(talker),
    window: 16_000,
    config: 'context: { engine: dcp, dcp: { hygiene: rewrite } }',
  });

  for (let turn = 1; turn <= 26; turn++) {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn, (text) => text.startsWith('answer'));
  }

  const id = await world.sessionId();
  const state = await world.store.dcp.load(id);
  const live = await world.store.transcript.liveHeaders(id);
  const rows = await world.rows();
  expect(state.generation).toBeGreaterThan(0);
  expect(live[0]).toMatchObject({ kind: 'summary', role: 'user' });
  expect(live.length).toBeLessThan(40);
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(26);
  // Numbers are never given twice, so all units that ever were have been counted.
  expect(state.nextRef).toBeGreaterThan(52);
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
}, 60_000);

test('a session goes to the compressor and comes back: blocks become summary rows, nothing is lost', async () => {
  await using world = await openTurnWorld({
    script: followNudges(talker),
    window: 16_000,
    config: 'context: { engine: dcp }',
  });
  const answers = (text: string): boolean => text.startsWith('answer');
  let said = 0;
  const talk = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      await world.say(`question ${++said}: ${words(200)}`);
      await world.hear(said, answers);
    }
  };

  await talk(14);
  const id = await world.sessionId();
  const blocks = await world.store.dcp.blocks(id);
  await world.say('/engine compressor');
  await talk(1);
  const compressed = await world.store.transcript.liveHeaders(id);
  await world.say('/engine dcp');
  await talk(3);

  const active = blocks.filter((block) => block.activity === 'active');
  const after = await world.store.dcp.blocks(id);
  const rows = await world.rows();
  expect(active.length).toBeGreaterThan(0);
  expect(compressed.filter((row) => row.kind === 'summary')).toHaveLength(active.length);
  expect(after.filter((block) => block.number <= blocks.length).map((block) => block.activity)).not.toContain(
    'active',
  );
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(18);
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
}, 60_000);
