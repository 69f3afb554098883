import pg from 'pg';
import { expect, test } from 'vitest';

import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

async function sql(world: TurnWorld, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

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
  const sessionId = await world.sessionId();
  const turnId = expect.stringMatching(/./) as string;
  expect(
    await sql(world, `SELECT payload - 'promptTokens' AS payload FROM events WHERE type = 'model:fallback'`),
  ).toEqual([
    {
      payload: {
        type: 'model:fallback',
        sessionId,
        turnId,
        from: 'anthropic/claude-sonnet-5',
        to: 'anthropic/claude-haiku-4-5',
        why: 'quota',
      },
    },
  ]);
  expect(await sql(world, 'SELECT model, calls FROM usage_days')).toEqual([
    { model: 'anthropic/claude-haiku-4-5', calls: 1 },
  ]);
  // Both models were asked; one of them answered.
  expect(await sql(world, 'SELECT kind, state FROM outbox ORDER BY kind')).toEqual([
    { kind: 'final', state: 'sent' },
    { kind: 'notice', state: 'sent' },
  ]);
  expect((await world.rows()).map(({ kind }) => kind)).toEqual(['person', 'assistant']);
  expect(world.model.violations).toEqual([]);
});
