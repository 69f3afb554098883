import { expect, test } from 'vitest';
import { datesIn } from '../../packages/store/src/search/dates.ts';

// A Monday.
const said = new Date('2026-03-02T10:00:00Z');

test('a day is read in the usual ways of writing it', () => {
  expect(datesIn('on 3 June, 2023', said)).toEqual(['2023-06-03']);
  expect(datesIn('on May 3rd, 2023', said)).toEqual(['2023-05-03']);
  expect(datesIn('2024-02-29 or 31.12.2025', said)).toEqual(['2024-02-29', '2025-12-31']);
});

test('a month is read with its year, and without one as the nearest that has passed', () => {
  expect(datesIn('in August 2023', said)).toEqual(['2023-08']);
  expect(datesIn('we met last May', said)).toEqual(['2025-05']);
  expect(datesIn('in February', said)).toEqual(['2026-02']);
});

test('words for a time are reckoned from the moment they were said', () => {
  expect(datesIn('yesterday', said)).toEqual(['2026-03-01']);
  expect(datesIn('two weeks ago', said)).toEqual(['2026-02-16']);
  expect(datesIn('last Friday', said)).toEqual(['2026-02-27']);
  expect(datesIn('last month', said)).toEqual(['2026-02']);
});

test('a day that no month has, and a word that is no date, are none', () => {
  expect(datesIn('2023-02-30', said)).toEqual([]);
  expect(datesIn('we may go and march on', said)).toEqual([]);
});
