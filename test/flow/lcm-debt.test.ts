/** Work that the lossless engine put off until the prompt cache has run out is done meanwhile, though nobody writes. */
import { expect, test } from 'vitest';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld, pause, type TurnWorld } from '../support/turn-world.ts';

const config = `
context:
  engine: lcm
  lcm:
    fresh_tail_count: 4
    leaf_chunk_tokens: 1500
    dynamic_leaf_chunk_tokens: {enabled: false}
    cache_aware_compaction: {cache_ttl_seconds: 4}
`;

async function debtOf(world: TurnWorld) {
  return (await world.store.lcm.load(await world.sessionId())).debt;
}

async function untilSettled(world: TurnWorld): Promise<void> {
  while ((await debtOf(world))?.pending !== false) await pause();
}

test('a debt falls due, the sweeper finds it, a job pays it, and the next prompt begins with the summaries', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window: 64_000, config });
  await talk(world, 8);
  const sessionId = await world.sessionId();
  const owed = await debtOf(world);

  await untilSettled(world);

  expect(owed).toMatchObject({ pending: true, reason: 'hot-cache-budget-headroom' });
  expect(await debtOf(world)).toMatchObject({ running: false, resolutionReason: 'paid', retryAttempts: 0 });
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 20 });
  expect(ledger).toMatchObject([
    {
      layer: 'background',
      trigger: 'prepared',
      outcome: 'success',
      engine: 'lcm',
      sweep: {
        decision: expect.stringMatching(/^(leaf-trigger|cold-cache-catchup)$/),
        debtAgeSeconds: expect.any(Number),
        stoppedBy: 'none',
      },
    },
  ]);
  await talk(world, 1);
  expect(prompts.at(-1)!.messages[0]!.text).toMatch(/^<summary id="sum_[0-9a-f]{16}"/);
  expect((await world.store.lcm.doctor(sessionId)).filter(({ severity }) => severity === 'broken')).toEqual(
    [],
  );
  expect(await world.heard()).toHaveLength(9);
});

test('a debt with nothing left to do is closed once, without a model and without a row in the ledger', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 64_000, config });
  await talk(world, 2);
  const sessionId = await world.sessionId();
  const figures = { budgetTokens: 64_000, currentTokens: 1_400, projectedTokens: 1_400 };
  await world.store.lcm.requestDebt(sessionId, {
    ...figures,
    reason: 'leaf-trigger',
    dueInMs: 0,
    rawTokensOutsideTail: 0,
    thresholdTokens: 48_000,
    thresholdSource: 'context_threshold',
  });

  await untilSettled(world);

  expect(await debtOf(world)).toMatchObject({ running: false, resolutionReason: 'nothing_to_do' });
  expect(await world.store.lcm.dueDebts(10)).toEqual([]);
  expect(await world.store.compactions.ledger({ sessionId, limit: 20 })).toEqual([]);
  expect(world.summariser.requests).toEqual([]);
});
