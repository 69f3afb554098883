/** The engine by itself: a database address and a model key, no gateway. */
import { scriptedSummariser, startFakeModel } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { runStandAlone } from '../../apps/evals/src/examples/lcm-stand-alone.ts';
import { createTestDatabase } from '../support/database.ts';
import { words } from '../support/memory-transcript.ts';

test('the example of the requirements: messages go in, a shorter list comes back, and nothing is lost', async () => {
  await using database = await createTestDatabase();
  const script = scriptedSummariser({ tokenBudget: 300 });
  await using server = await startFakeModel({ dialect: 'openai-chat', window: 100_000, script });
  const messages = Array.from({ length: 120 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `line ${index} ${index === 4 ? 'the code word is heliotrope ' : ''}${words(100)}`,
  }));

  const { compressed, found, status } = await runStandAlone({
    databaseUrl: database.url,
    model: { provider: 'custom', name: 'small-model', base_url: server.baseUrl },
    apiKey: 'key',
    contextLength: 8_000,
    messages,
    question: 'heliotrope',
  });

  expect(compressed.length).toBeLessThan(60);
  expect(compressed[0]!.content).toMatch(/^<summary id="sum_/);
  expect(compressed.at(-1)!.content).toBe(messages.at(-1)!.content);
  expect(found).toContain('the code word is heliotrope');
  expect(status[0]).toMatch(/^\d+ messages word for word .*, \d+ under summaries\.$/);
});
