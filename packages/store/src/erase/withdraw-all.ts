/**
 * Summaries of all engines over erased rows are withdrawn, and so are those over what tools showed of them.
 *
 *   changed rows → summaries, nodes, blocks → tool results that show one of these → summaries over those → … no more
 */
import type { Transaction } from '../database.ts';
import { tombstone } from './erased-parts.ts';
import { rowsOf } from './erased-rows.ts';
import { PhraseFinder, phrasesOfSummary } from './phrases.ts';
import { withdrawRound } from './withdraw-round.ts';
import type { ChangedRow } from './write-rows.ts';

export interface AllWithdrawn {
  summaries: number;
  /** Rows of the ledger that say so. */
  undone: number;
  sessionIds: readonly string[];
  /** Finds what they said. */
  finder: PhraseFinder;
}

/** `changed` receives the rows that must lose their text with them; those in it at first are looked under. */
export async function withdrawAll(
  tx: Transaction,
  sessionIds: readonly string[],
  { changed, finder }: { changed: Map<number, ChangedRow>; finder: PhraseFinder },
): Promise<AllWithdrawn> {
  const names = new Set<string>();
  const changedIds = new Set<string>();
  const texts: string[] = [];
  let undone = 0;
  for (let touched = [...changed.keys()]; touched.length > 0;) {
    const round = await withdrawRound(tx, sessionIds, { touched, finder });
    for (const row of round.rows) if (!changed.get(row.id)?.isTombstone) changed.set(row.id, row);
    for (const name of round.names) names.add(name);
    for (const id of round.sessionIds) changedIds.add(id);
    texts.push(...round.texts);
    undone += round.undone;
    const shown = await findShown(tx, sessionIds, { finder: finderOf(round.texts), changed });
    for (const row of shown) changed.set(row.id, row);
    touched = shown.map((row) => row.id);
  }
  return { summaries: names.size, undone, sessionIds: [...changedIds], finder: finderOf(texts) };
}

function finderOf(texts: readonly string[]): PhraseFinder {
  return new PhraseFinder(texts.flatMap(phrasesOfSummary));
}

/** Results of tools that show a summary, gone whole: what else is in them can be looked up again. */
async function findShown(
  tx: Transaction,
  sessionIds: readonly string[],
  { finder, changed }: { finder: PhraseFinder; changed: ReadonlyMap<number, ChangedRow> },
): Promise<ChangedRow[]> {
  if (finder.isEmpty) return [];
  const found: ChangedRow[] = [];
  for (const sessionId of sessionIds)
    for await (const { id, parts } of rowsOf(tx, sessionId, 'tool'))
      if (!changed.has(id) && finder.withoutDeep(parts) !== null)
        found.push({ sessionId, id, parts: tombstone(parts), isTombstone: true });
  return found;
}
