import { expect, test } from 'vitest';

import { openTurnWorld } from '../support/turn-world.ts';

/** Two cents a token read: one message costs more than any budget here. */
const dear = `model:
  table:
    claude-sonnet-5:
      price: { input: 20000, output: 10 }
  daily_budget:
`;

test('a used-up budget of a person answers with a plain message, keeps theirs and asks no model', async () => {
  await using world = await openTurnWorld({
    script: () => ({ text: 'yes' }),
    config: `${dear}    person_dollars: 0.01\n`,
  });

  await world.say('first');
  await world.hear(1);
  await world.say('second');
  const replies = await world.hear(3);

  expect(replies[0]).toBe('yes');
  // Passing the whole budget passes the warning's share of it too.
  expect(replies[1]).toMatch(/^ℹ️ \$\d.* of your budget for today \(\$0\.010\) is used; \$0\.000 is left\.$/);
  expect(replies[2]).toBe(
    'ℹ️ Your budget for today ($0.010) is used up, so I cannot answer now. It starts anew at midnight UTC. Your message is kept.',
  );
  expect(world.model.usage).toHaveLength(1);
  const rows = await world.rows();
  expect(rows.filter(({ kind }) => kind === 'person')).toHaveLength(2);
});

test("everybody's budget holds too, and /status says what the session cost", async () => {
  await using world = await openTurnWorld({
    script: () => ({ text: 'yes' }),
    config: `${dear}    installation_dollars: 0.01\n`,
  });

  await world.say('first');
  await world.hear(2);
  await world.say('/status');
  const status = (await world.hear(3)).at(-1);
  await world.say('second');
  const refused = (await world.hear(4)).at(-1);

  expect(status).toMatch(
    /Cost so far: \$\d+\.\d\d in 1 model call; 0 % of what was read came from the cache\./,
  );
  expect(refused).toContain('The budget of this bot for today ($0.010) is used up');
});

test('without a budget nothing is said of money', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'yes' }) });

  await world.say('first');
  await world.hear(1);
  await world.say('second');

  expect(await world.hear(2)).toEqual(['yes', 'yes']);
});
