/** How often open pages are told of changes, and that what many ask is read and written out once. */
import { systemClock } from '@palimpsest/core';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { OperatorFeed } from '../../apps/dashboard/src/live/operator-feed.ts';
import { SharedReads } from '../../apps/dashboard/src/live/shared-reads.ts';

test('one page hears of a change at once, fifty every two and a half seconds, thousands every five', () => {
  const restOf = (pages: number): number => new OperatorFeed(null, () => pages).restMs;

  expect([1, 14, 50, 5_000].map(restOf)).toEqual([700, 700, 2_500, 5_000]);
});

test('what many pages ask at once is read once, and each gets the same answer; later it is read anew', async () => {
  let now = 0;
  let reads = 0;
  const shared = new SharedReads({ ...systemClock, now: () => new Date(now) });
  const app = new Hono().get('/', (c) =>
    shared.answer(c, { question: 'how many', freshMs: 600 }, async () => ({ reads: ++reads })),
  );

  const answers = await Promise.all([1, 2, 3].map(() => app.request('/')));
  now = 600;
  const later = await app.request('/');

  expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
    { reads: 1 },
    { reads: 1 },
    { reads: 1 },
  ]);
  expect(answers[0]!.headers.get('Content-Type')).toBe('application/json');
  expect(await later.json()).toEqual({ reads: 2 });
});
