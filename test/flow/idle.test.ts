/** A session that nobody writes to is condensed meanwhile: through the whole main path, sweeper and job included. */
import pg from 'pg';
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, pause, type TurnWorld } from '../support/turn-world.ts';

/** Longer than a turn takes on a busy machine, so that talking is not idle. */
const config = 'compression: {idle_compact_after_seconds: 4}';

async function ledgerOf(world: TurnWorld, rows = 1) {
  const sessionId = await world.sessionId();
  for (;;) {
    const ledger = await world.store.compactions.ledger({ sessionId, limit: 20 });
    if (ledger.length >= rows && ledger.every((row) => row.outcome !== null)) return ledger;
    await pause();
  }
}

test('a quiet session is condensed by a job while nobody waits, and the next turn starts from that', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 32_000, config });
  await talk(world, 16);

  const ledger = await ledgerOf(world);

  expect(ledger).toMatchObject([{ layer: 'background', trigger: 'idle', outcome: 'success' }]);
  expect(await world.heard()).toHaveLength(16);
  await talk(world, 1);
  expect(prompts.at(-1)!.messages.length).toBeLessThan(33);
  expect(prompts.at(-1)!.system).toContain('[Note: Some earlier conversation turns have been compacted');
  expect((await world.rows()).filter((row) => row.kind === 'person')).toHaveLength(17);
});

test('a session at or below the idle floor is looked at once and left alone', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config });
  // The floor is 24,000 x 0.2 = 4,800 tokens; four lines and their answers are about 2,900.
  await talk(world, 4);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const looked = async (): Promise<boolean> =>
    (await client.query('SELECT 1 FROM sessions WHERE idle_checked_at >= updated_at')).rowCount === 1;
  while (!(await looked())) await pause();
  await client.end();

  const sessionId = await world.sessionId();
  expect(await world.store.compactions.ledger({ sessionId, limit: 5 })).toEqual([]);
  expect(world.summariser.requests).toEqual([]);
});

test('somebody who comes back before the job is done is served by a turn that condenses first and says so', async () => {
  const prompts: ScriptRequest[] = [];
  let summaries = 0;
  await using world = await openTurnWorld({
    script: answering(prompts),
    window: 32_000,
    config,
    summariser: () => ({ text: '## Goal\nTake the ferry', delayMs: ++summaries === 1 ? 60_000 : 0 }),
  });
  await talk(world, 16);
  while (world.summariser.requests.length === 0) await pause();

  await talk(world, 1);

  expect(prompts.at(-1)!.messages.length).toBeLessThan(33);
  expect((await ledgerOf(world))[0]).toMatchObject({ layer: 'agent', trigger: 'idle', outcome: 'success' });
  expect((await world.heard()).filter((text) => !isAnswer(text))).toEqual([
    expect.stringContaining('I condensed the older part of our conversation before answering.'),
  ]);
});

test('a summary that takes longer than a message may be held does not keep the answer back', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: answering(prompts),
    window: 32_000,
    config: 'compression: {idle_compact_after_seconds: 4, hygiene_max_turn_hold_seconds: 0.3}',
    summariser: () => ({ text: '## Goal\nNever comes in time', delayMs: 60_000 }),
  });
  await talk(world, 16);
  while (world.summariser.requests.length === 0) await pause();

  await talk(world, 1);

  expect(prompts.at(-1)!.messages).toHaveLength(33);
  expect((await ledgerOf(world))[0]).toMatchObject({ layer: 'agent', trigger: 'idle', outcome: 'aborted' });
});
