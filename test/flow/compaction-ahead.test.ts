/** Plans made ahead: dropped when their rows changed, waited for when a job is at it. */
import { expect, test } from 'vitest';
import { recordingMeter } from '../support/recording-meter.ts';
import { isTurnRunning } from '../support/session-row.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, pause } from '../support/turn-world.ts';

/** Plans are made from 4,800 tokens on, the trigger is 6,000. */
const window = 8_000;

test('a plan made ahead whose rows were condensed meanwhile is dropped and counted', async () => {
  const { meter, counted } = recordingMeter();
  await using world = await openTurnWorld({ script: answering(), window, meter });
  while (world.summariser.requests.length === 0) await talk(world, 1);
  await ask(world, '/compress');

  while (counted('gateway_compaction_prepared_dropped_total').length === 0) await talk(world, 1);

  expect(counted('gateway_compaction_prepared_dropped_total')[0]).toEqual({ why: 'rows_changed' });
});

test('T11 far below the trigger nothing is asked of the summary model; near it, it is asked before the first condensation', async () => {
  await using world = await openTurnWorld({ script: answering(), window });
  await talk(world, 5);
  const askedEarly = world.summariser.requests.length;
  while (world.summariser.requests.length === 0) await talk(world, 1);

  const done = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 5 });

  expect(askedEarly).toBe(0);
  expect(done.filter((row) => row.outcome === 'success')).toEqual([]);
  // Between 60 % of the window, where plans begin to be made, and the trigger at 75 %.
  expect(world.model.usage.at(-1)!.promptTokens).toBeGreaterThan(4_000);
  expect(world.model.usage.at(-1)!.promptTokens).toBeLessThan(6_000);
});

test('hygiene waits for the plan that a job is making and asks the model no second time', async () => {
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  await using world = await openTurnWorld({
    script: () => ({ text: 'Noted.' }),
    // Plans are made from 19,200 on, hygiene from 27,200 on, hard limit 28,800.
    window: 32_000,
    config: 'compression: {hygiene_max_turn_hold_seconds: 20}',
    summariser: async () => {
      await written;
      return { text: '## Goal\nTake the ferry to the island' };
    },
  });
  const line = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(
    120,
  );
  let said = 0;
  while ((world.model.usage.at(-1)?.promptTokens ?? 0) < 25_400) {
    await world.say(`Line ${++said}. ${line}`);
    await world.hear(said, isAnswer);
  }
  await world.say(`Line ${++said}. ${line}`);
  while (!(await isTurnRunning(world))) await pause();

  write();

  expect((await world.hear(said, isAnswer)).length).toBe(said);
  expect(world.summariser.requests).toHaveLength(1);
  const [newest] = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 1 });
  expect(newest).toMatchObject({
    layer: 'hygiene',
    trigger: 'prepared',
    outcome: 'success',
  });
  expect(world.model.refused).toBe(0);
});
