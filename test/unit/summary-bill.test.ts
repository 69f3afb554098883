import {
  noUsage,
  silentLogger,
  type Summariser,
  type SummaryAnswer,
  type SummaryCost,
} from '@palimpsest/core';
import { onBill } from '@palimpsest/turn';
import { expect, test } from 'vitest';

const request = { system: 'You sum up.', prompt: 'Hello there.', targetTokens: 100 };

const cutOff: SummaryAnswer = {
  kind: 'failed',
  reason: 'summary_too_long',
  policy: 'abort',
  cooldownMs: 0,
  message: 'cut off',
  usage: { ...noUsage, promptTokens: 900, outputTokens: 400, costDollars: 0.03 },
};

/** One summary of a session s1, and what it left on the bill. */
async function summarise(answer: SummaryAnswer, options: Partial<Summariser> & { away?: true } = {}) {
  const costs: SummaryCost[] = [];
  const usage = {
    addSummary: (cost: SummaryCost) => {
      costs.push(cost);
      return options.away ? Promise.reject(new Error('away')) : Promise.resolve();
    },
  };
  const plain: Summariser = {
    model: 'small',
    windowTokens: 1_000,
    summarise: () => Promise.resolve(answer),
    ...options,
  };
  const billed = onBill(plain, { sessionId: () => 's1', usage, logger: silentLogger });
  return { answer: await billed.summarise(request, new AbortController().signal), costs };
}

test('a summary costs what the provider said', async () => {
  const usage = { ...noUsage, promptTokens: 1_000, outputTokens: 50, costDollars: 0.02 };

  const { costs } = await summarise({ kind: 'text', text: 'short', usage });

  expect(costs).toEqual([
    { sessionId: 's1', model: 'small', calls: 1, inputTokens: 1_000, outputTokens: 50, dollars: 0.02 },
  ]);
});

test('an answer that is of no use costs too', async () => {
  const { answer, costs } = await summarise(cutOff);

  expect(answer).toBe(cutOff);
  expect(costs).toEqual([
    { sessionId: 's1', model: 'small', calls: 1, inputTokens: 900, outputTokens: 400, dollars: 0.03 },
  ]);
});

test('a call without an answer is on no bill', async () => {
  const { costs } = await summarise({ ...cutOff, usage: null });

  expect(costs).toEqual([]);
});

test('a server that counts nothing is taken at our estimate, and its price is unknown where nobody named one', async () => {
  const text: SummaryAnswer = { kind: 'text', text: 'Hello there.', usage: null };
  const pricePerMillion = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };

  const [unpriced] = (await summarise(text)).costs;
  const [priced] = (await summarise(text, { pricePerMillion })).costs;

  expect(unpriced).toMatchObject({ dollars: null });
  expect(unpriced!.outputTokens).toBeGreaterThan(0);
  expect(priced!.dollars).toBe(priced!.inputTokens);
});

test('a summary is not lost because its price could not be written down', async () => {
  const text: SummaryAnswer = { kind: 'text', text: 'short', usage: noUsage };

  expect((await summarise(text, { away: true })).answer).toBe(text);
});
