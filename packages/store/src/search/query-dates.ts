import type { Wanted } from './candidates.ts';
import { datesIn, dayAfter } from './dates.ts';
import { dateLexeme } from './tokens.ts';

/** What happened on a day is often told on one of these. */
const toldWithinDays = 7;
const maxDates = 4;

/** The dates a query names, as things to look for: the day itself, loosely also the days after it; a month with its days. */
export function wantedDates(query: string, now: Date): readonly Wanted[] {
  return datesIn(query, now)
    .slice(0, maxDates)
    .map((date) => {
      const later = Array.from({ length: toldWithinDays }, (_, index) => dayAfter(date, index + 1));
      const days = later.flatMap((day) => (day === null ? [] : [`'${dateLexeme(day)}'`]));
      const exact = days.length === 0 ? `'${dateLexeme(date)}':*` : `'${dateLexeme(date)}'`;
      return { exact, loose: [exact, ...days].join(' | ') };
    });
}
