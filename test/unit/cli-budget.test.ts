/** What `session show` says of the day's budget. */
import { configSchema, type UsageStore } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { budgetLine, budgetOfToday } from '../../apps/cli/src/session/budget.ts';
import { windowLine } from '../../apps/cli/src/session/lines.ts';

const usage = {
  today: () => Promise.resolve({ person: 1, personTurns: 3, installation: 2.5 }),
} as unknown as UsageStore;

test('a budget of the installation is told with what is used of it; without one nothing is', async () => {
  const limited = configSchema.parse({ model: { daily_budget: { installation_dollars: 10 } } });

  const budget = await budgetOfToday({ usage }, limited);

  expect(budgetLine(budget!)).toBe('budget      $2.50 of $10.00 used today by everybody');
  expect(await budgetOfToday({ usage }, configSchema.parse({}))).toBeNull();
});

test('the window is told with its source and how full it is', () => {
  const line = windowLine({ windowTokens: 128_000, windowSource: 'table', promptTokens: 32_000 });

  expect(line).toBe('window      128,000 tokens (table), 25 % full');
});
