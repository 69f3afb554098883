/** What operators read of the day's budgets, and of the window. */
import { budgetsOf, budgetWords, configSchema, hasBudget } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { windowLine } from '../../apps/cli/src/session/lines.ts';

const today = { person: 0.4, personTurns: 3, installation: 2.5 };

function limitsOf(daily_budget: object) {
  return configSchema.parse({ model: { daily_budget } }).model.daily_budget;
}

test('each limit is told with what is used of it', () => {
  const limits = limitsOf({ person_turns: 20, person_dollars: 2, installation_dollars: 10 });

  expect(budgetsOf(limits, today).map(budgetWords)).toEqual([
    '3 of 20 answers given today to the person',
    '$0.400 of $2.00 used today by the person',
    '$2.50 of $10.00 used today by everybody',
  ]);
});

test('without a limit there is no budget', () => {
  expect(hasBudget(limitsOf({}))).toBe(false);
  expect(hasBudget(limitsOf({ person_turns: 5 }))).toBe(true);
  expect(budgetsOf(limitsOf({}), today)).toEqual([]);
});

test('the window is told with its source and how full it is', () => {
  const line = windowLine({ windowTokens: 128_000, windowSource: 'table', promptTokens: 32_000 });

  expect(line).toBe('window      128,000 tokens (table), 25 % full');
});
