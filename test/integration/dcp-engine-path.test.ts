import { createMeter } from '@palimpsest/metrics';
import { expect, test } from 'vitest';
import { followNudges, ignoreNudges, type ModelScript } from '@palimpsest/testkit';
import { words } from '../support/memory-transcript.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const dcp = 'context: { engine: dcp }';
const window = 16_000;

/** Answers at length and has nothing else in mind. */
const talker: ModelScript = () => ({ text: `answer ${words(500)}` });

test('a model that follows nudges keeps a long conversation within its window, and no row is archived', async () => {
  const meter = createMeter({ strict: true });
  await using world = await openTurnWorld({ script: followNudges(talker), window, config: dcp, meter });

  for (let turn = 1; turn <= 24; turn++) {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn);
  }

  const id = await world.sessionId();
  const blocks = await world.store.dcp.blocks(id);
  const rows = await world.rows();
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.every((block) => block.author === 'model')).toBe(true);
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(24);
  const ledger = await world.store.compactions.ledger({ sessionId: id, limit: 100 });
  const byModel = ledger.filter(({ layer }) => layer === 'model_tool').length;
  const metrics = await meter.text();
  expect(byModel).toBeGreaterThan(1);
  for (const line of [
    `gateway_compaction_duration_seconds_count{layer="model_tool",outcome="success"} ${byModel}`,
    `gateway_compaction_reentry_seconds_count{layer="model_tool"} ${byModel - 1}`,
    `gateway_compaction_turns_between_count{layer="model_tool"} ${byModel - 1}`,
  ])
    expect(metrics).toContain(line);
}, 60_000);

test('a model that ignores every nudge is kept within its window by the service, and no row is archived', async () => {
  await using world = await openTurnWorld({ script: ignoreNudges(talker), window, config: dcp });

  for (let turn = 1; turn <= 40; turn++) {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn, (text) => text.startsWith('answer'));
  }

  const blocks = await world.store.dcp.blocks(await world.sessionId());
  const rows = await world.rows();
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.every((block) => block.author !== 'model')).toBe(true);
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(40);
}, 60_000);

test('the section `compression` drives nothing here: no row limit, no brake, and its switch is not this engine’s', async () => {
  const section = 'compression: { enabled: false, hygiene_hard_message_limit: 4, max_per_hour: 1 }';
  await using world = await openTurnWorld({
    script: ignoreNudges(talker),
    window,
    config: `${dcp}\n${section}`,
  });
  const say = async (turn: number) => {
    await world.say(`question ${turn}: ${words(200)}`);
    await world.hear(turn, (text) => text.startsWith('answer'));
  };
  const layers = async () => {
    const sessionId = await world.sessionId();
    return (await world.store.compactions.ledger({ sessionId, limit: 100 })).map((row) => row.layer);
  };

  for (let turn = 1; turn <= 6; turn++) await say(turn);
  const early = await layers();
  for (let turn = 7; turn <= 40; turn++) await say(turn);
  const later = await layers();

  expect(early).toEqual([]);
  expect(later.filter((layer) => layer === 'hygiene').length).toBeGreaterThanOrEqual(2);
  expect(world.model.refused).toBe(0);
}, 60_000);

test('in message mode a model that follows nudges compresses single large messages', async () => {
  const long: ModelScript = () => ({ text: `answer ${words(6_000)}` });
  await using world = await openTurnWorld({
    script: followNudges(long),
    window: 128_000,
    config:
      'context: { engine: dcp, dcp: { compress: { mode: message, maxContextLimit: 20000, minContextLimit: 10000 } } }',
  });

  for (let turn = 1; turn <= 8; turn++) {
    await world.say(`question ${turn}`);
    await world.hear(turn);
  }

  const blocks = await world.store.dcp.blocks(await world.sessionId());
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
  expect(
    blocks.filter((block) => block.mode === 'message' && block.author === 'model').length,
  ).toBeGreaterThan(0);
}, 60_000);
