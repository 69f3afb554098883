import { expect, test } from 'vitest';

import { openTurnWorld } from '../support/turn-world.ts';

test('a fallback model is off unless named, and never silent: one line names both and the price of the switch', async () => {
  await using world = await openTurnWorld({
    script: ({ model }) =>
      model === 'claude-sonnet-5' ? { fault: 'insufficient_quota' } : { text: `answered by ${model}` },
    config: 'model:\n  fallback: [claude-haiku-4-5]\n  ask_provider: false\n',
  });

  await world.say('hello');
  const replies = await world.hear(2);

  expect(replies.toSorted()).toEqual([
    'answered by claude-haiku-4-5',
    expect.stringMatching(
      /^ℹ️ anthropic\/claude-sonnet-5 does not answer \(its account's limit is used up\); anthropic\/claude-haiku-4-5 answers instead\. It reads the whole conversation anew at full price, about \d[\d,]* tokens\.$/,
    ),
  ]);
  expect(world.model.violations).toEqual([]);
});
