/** How full prompts are, as the provider counted them: what an operator is alerted by when nobody condenses. */
import { silentMeter } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { openTurnWorld } from '../support/turn-world.ts';

const window = 16_000;

test('each model call tells the share of the window that the provider counted', async () => {
  const shares: number[] = [];
  const meter = {
    ...silentMeter,
    observe: (name: string, value: number) => {
      if (name === 'gateway_context_utilization_ratio') shares.push(value);
    },
  };
  await using world = await openTurnWorld({ window, meter, script: () => ({ text: 'Noted.' }) });

  await world.say('ж'.repeat(4_000));
  await world.hear(1);
  await world.say('And now?');
  await world.hear(2);

  const counted = world.model.usage.map(({ promptTokens }) => promptTokens / window);
  expect(counted).toHaveLength(2);
  expect(shares).toEqual(counted);
});
