/** What a turn costs is written down once, call by call. */
import pg from 'pg';
import { expect, test } from 'vitest';

import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const readLog = {
  schema: { name: 'read_log', description: 'read it', parameters: { type: 'object', properties: {} } },
  repeatable: true,
  run: () => Promise.resolve({ text: 'nothing new', isError: false }),
};

/** Ten dollars a million tokens read, whatever the cache did, and nothing for the answer. */
const flatPrice = `model:
  table:
    claude-sonnet-5:
      price: { input: 10, output: 0, cache_read: 10, cache_write: 10 }
`;

async function sql(world: TurnWorld, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test('each call of a turn with tools is on the bill once', async () => {
  const prompts: number[] = [];
  await using world = await openTurnWorld({
    script: ({ promptTokens }) => {
      prompts.push(promptTokens);
      return prompts.length < 4 ? { toolCalls: [{ name: 'read_log', arguments: {} }] } : { text: 'done' };
    },
    tools: [readLog],
    config: flatPrice,
  });

  await world.say('look');
  await world.hear(1);

  const read = prompts.reduce((sum, tokens) => sum + tokens, 0);
  const [day] = await sql(
    world,
    'SELECT model, calls, prompt_tokens::int, microdollars::int FROM usage_days',
  );
  expect(day).toEqual({
    model: expect.stringMatching(/\/claude-/),
    calls: 4,
    prompt_tokens: read,
    microdollars: read * 10,
  });
  const [turn] = await sql(
    world,
    `SELECT model_calls, prompt_tokens::int, microdollars::int, last_usage ? 'input_tokens' AS raw FROM turns`,
  );
  expect(turn).toEqual({
    model_calls: 4,
    prompt_tokens: read,
    microdollars: read * 10,
    raw: true,
  });
});

test('a turn that failed before any answer is no call', async () => {
  await using world = await openTurnWorld({ script: () => ({ fault: 'insufficient_quota' }) });

  await world.say('look');
  await world.hear(1);

  expect(await sql(world, 'SELECT calls FROM usage_days')).toEqual([]);
  expect(await sql(world, 'SELECT model_calls FROM turns')).toEqual([{ model_calls: 0 }]);
});

test('summaries are on the bill, those of plans that came to nothing too', async () => {
  await using world = await openTurnWorld({
    script: () => ({ text: 'yes' }),
    window: 4_000,
    summariser: () => ({ text: 'cut', stop: 'max_tokens' }),
  });

  for (let turn = 1; turn <= 4; turn++) {
    await world.say('word '.repeat(400));
    await world.hear(turn, (text) => text === 'yes');
  }
  await world.say('/compress');
  await world.hear(1, (text) => text.startsWith('ℹ️'));

  const read = (): number => world.summariser.usage.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  const billed = `SELECT sum(prompt_tokens)::int AS read FROM usage_days WHERE model = 'summariser'`;
  expect(read()).toBeGreaterThan(0);
  // A plan may be in the making still.
  await expect.poll(async () => Number((await sql(world, billed))[0]?.['read']) - read()).toBe(0);
});
