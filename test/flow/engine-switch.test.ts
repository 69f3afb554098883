/** A running session goes from engine to engine and back: nothing that was said is lost, and the model always knows of it. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import pg from 'pg';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const calm = 'compression: {background: false, small_context_floor: null}';

async function wantEngine(world: TurnWorld, engine: string): Promise<void> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  await client.query('UPDATE sessions SET wanted_engine = $1', [engine]);
  await client.end();
}

/** Texts of everything the person said, in order, in whatever state; a row that stands for another does not count. */
async function everSaid(world: TurnWorld): Promise<string[]> {
  const rows = await world.rows();
  return rows
    .filter((row) => row.kind === 'person' && row.replaces === undefined)
    .flatMap((row) => row.parts.flatMap((part) => (part.type === 'text' ? [part.text.slice(0, 9)] : [])));
}

test('a session moves from compressor to lcm to dcp and back, and every line is there once', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 32_000, config: calm });
  await talk(world, 16);
  await ask(world, '/compress');

  await wantEngine(world, 'lcm');
  await talk(world, 10);
  const underLcm = prompts.at(-1)!;
  const condensed = await ask(world, '/compress');
  const sessionId = await world.sessionId();
  const problems = (await world.store.lcm.doctor(sessionId)).filter((one) => one.severity === 'broken');
  await wantEngine(world, 'dcp');
  await talk(world, 4);
  const underDcp = prompts.at(-1)!;
  await wantEngine(world, 'compressor');
  await talk(world, 4);
  const underCompressor = prompts.at(-1)!;

  expect((await everSaid(world)).toSorted()).toHaveLength(34);
  expect(new Set(await everSaid(world)).size).toBe(34);
  expect(problems).toEqual([]);
  expect(condensed).toContain('Condensed');
  expect(underLcm.messages.some((message) => /<summary id="sum_[0-9a-f]+"/.test(message.text))).toBe(true);
  expect(underDcp.messages[0]!.text).toContain('[CONTEXT COMPACTION] Earlier turns were compacted');
  expect(underCompressor.messages.length).toBeGreaterThan(8);
  expect(world.model.violations).toEqual([]);
  expect(await world.sessionId()).toBe(sessionId);
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 20 });
  expect(
    ledger.filter((row) => row.trigger === 'engine_switch').map((row) => [row.engine, row.outcome]),
  ).toEqual([
    ['lcm', 'success'],
    ['lcm', 'success'],
  ]);
});

test('back under lcm after other engines condensed: from its context every line is reached once', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: calm });
  const brokenUnder = async (engine: string): Promise<unknown[]> => {
    await wantEngine(world, engine);
    await talk(world, 8);
    await ask(world, '/compress');
    if (engine !== 'lcm') return [];
    return (await world.store.lcm.doctor(await world.sessionId())).filter(
      ({ severity }) => severity === 'broken',
    );
  };

  await talk(world, 1);
  expect(await brokenUnder('lcm')).toEqual([]);
  await brokenUnder('compressor');
  expect(await brokenUnder('lcm')).toEqual([]);
  await brokenUnder('dcp');
  expect(await brokenUnder('lcm')).toEqual([]);

  const status = await world.store.lcm.status(await world.sessionId());
  const said = await everSaid(world);
  expect(new Set(said).size).toBe(41);
  expect(said).toHaveLength(41);
  // Forty-one lines and their answers, each under a summary or word for word.
  expect(status.coveredMessages + status.liveMessages).toBeGreaterThanOrEqual(82);
  expect(world.model.violations).toEqual([]);
}, 120_000);
