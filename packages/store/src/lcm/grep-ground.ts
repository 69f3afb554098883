/** What searches over messages and summaries share. */
import type { LcmGrep } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';

/** Rows that a regular expression is tried on, newest first. */
export const maxScanned = 10_000;
/** Hits that are ranked, newest first; ranking reads each of them. */
export const maxRanked = 500;

/** Sorted and bounded by whoever runs it. */
export interface Ground {
  sessions: readonly string[];
  grep: LcmGrep;
}

/** A snippet of 200 characters that begins a little before the place. Of a column `text`. */
export function snippetAt(place: SQL): SQL {
  return sql`substr(text, greatest(1, ${place} - 60), 200)`;
}

/** Where the first of some words stands in `text`; 1 where none does (accents, other widths). */
export function placeOf(words: readonly string[]): SQL {
  return sql`coalesce((SELECT min(nullif(strpos(lower(text), word), 0)) FROM unnest(${sql.param([...words])}::text[]) word), 1)`;
}

/** Where the first match of a guarded regular expression stands in `text`. */
export function matchPlace(pattern: string): SQL {
  return sql`greatest(1, strpos(text, coalesce(substring(text from ${`(?in)(${pattern})`}), '')))`;
}

export function withinTime(column: SQL, { grep }: Ground): SQL {
  return sql`(${grep.since ?? null}::timestamptz IS NULL OR ${column} >= ${grep.since ?? null}::timestamptz)
    AND (${grep.before ?? null}::timestamptz IS NULL OR ${column} < ${grep.before ?? null}::timestamptz)`;
}
