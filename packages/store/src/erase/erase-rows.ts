/**
 * Rows become tombstones, in the caller's transaction, which has locked the sessions.
 *
 *   erased rows, their copies → their phrases → rows that quote them → summaries, nodes, blocks over any of these
 *                             → new contents → payloads, mail, replies and whatever else holds a phrase
 */
import type { ErasedCounts } from '@palimpsest/core';
import type { Transaction } from '../database.ts';
import { clearBeside, clearNotices } from './clear-beside.ts';
import { clearSidecars } from './clear-sidecars.ts';
import { clearPayloads, payloadTexts } from './clear-payloads.ts';
import {
  isOfAnswered,
  payloadsIn,
  saidIn,
  tombstone,
  withoutQuotedMessage,
  withoutQuotes,
} from './erased-parts.ts';
import { readWithCopies, rowsOf, type StoredRow } from './erased-rows.ts';
import { changeSessions } from './lock-sessions.ts';
import { PhraseFinder, phrasesOf } from './phrases.ts';
import { withdrawAll } from './withdraw-all.ts';
import { writeRows, type ChangedRow } from './write-rows.ts';

export interface RowsToErase {
  /** All sessions where the rows, copies of them or quotes may be. */
  sessionIds: readonly string[];
  /** The session whose lease the caller holds. */
  ownId: string | null;
  rowIds: readonly number[];
  /** Rows that quote an erased message in their header, or show its files. */
  answeringRowIds: readonly number[];
  /** More that must not be found, beside what the rows say: texts that never became a row. */
  texts: readonly string[];
}

export interface RowsErased {
  counts: ErasedCounts;
  /** Those that were changed. */
  sessionIds: readonly string[];
}

export async function eraseRows(tx: Transaction, erased: RowsToErase): Promise<RowsErased> {
  const seeds = await readWithCopies(tx, erased.sessionIds, erased.rowIds);
  const answering = await readWithCopies(tx, erased.sessionIds, erased.answeringRowIds);
  const payloadIds = [
    ...seeds.flatMap((row) => payloadsIn(row.parts)),
    ...answering.flatMap((row) => payloadsIn(row.parts.filter(isOfAnswered))),
  ];
  const finder = await finderOf(tx, erased, { seeds, payloadIds });
  const changed = new Map<number, ChangedRow>(seeds.map((row) => [row.id, tombstoneOf(row)]));
  const quoting = await findQuotes(tx, erased.sessionIds, {
    answering: new Set(answering.map(({ id }) => id)),
    finder,
    known: changed,
  });
  for (const row of quoting) changed.set(row.id, row);
  const withdrawn = await withdrawAll(tx, erased.sessionIds, { changed, finder });
  await writeRows(tx, [...changed.values()]);
  await clearSidecars(tx, erased.sessionIds, [...changed.keys()]);
  const payloads = await clearPayloads(tx, erased.sessionIds, { payloadIds, finder });
  const sessionIds = new Set([...[...changed.values()].map((row) => row.sessionId), ...withdrawn.sessionIds]);
  const touchedIds = [...sessionIds];
  const beside = await clearBeside(tx, { sessionIds: erased.sessionIds, touchedIds }, finder);
  await clearNotices(tx, touchedIds, withdrawn.finder);
  for (const sessionId of beside) sessionIds.add(sessionId);
  await changeSessions(tx, { sessionIds: [...sessionIds], ownId: erased.ownId });
  return {
    sessionIds: [...sessionIds],
    counts: {
      sessions: sessionIds.size,
      messages: seeds.length,
      quotes: quoting.filter((row) => !row.isSummary).length,
      summaries: withdrawn.summaries,
      payloads,
      undone: withdrawn.undone,
    },
  };
}

async function finderOf(
  tx: Transaction,
  { sessionIds, texts }: RowsToErase,
  { seeds, payloadIds }: { seeds: readonly StoredRow[]; payloadIds: readonly string[] },
): Promise<PhraseFinder> {
  // A summary that is merged into one of the rows is in the service's words.
  const said = seeds.flatMap((row) => (row.kind === 'summary' ? [] : saidIn(row.parts)));
  const whole = await payloadTexts(tx, sessionIds, payloadIds);
  return new PhraseFinder([...said, ...whole, ...texts].flatMap(phrasesOf));
}

function tombstoneOf(row: StoredRow): ChangedRow {
  return { sessionId: row.session_id, id: row.id, parts: tombstone(row.parts), isTombstone: true };
}

/** Rows of other senders that hold a phrase, or whose header quotes an erased message. */
async function findQuotes(
  tx: Transaction,
  sessionIds: readonly string[],
  by: { answering: ReadonlySet<number>; finder: PhraseFinder; known: ReadonlyMap<number, ChangedRow> },
): Promise<(ChangedRow & { isSummary: boolean })[]> {
  const { answering, finder, known } = by;
  if (finder.isEmpty && answering.size === 0) return [];
  const found: (ChangedRow & { isSummary: boolean })[] = [];
  for (const sessionId of sessionIds)
    for await (const row of rowsOf(tx, sessionId)) {
      if (known.has(row.id)) continue;
      const cut = answering.has(row.id) ? withoutQuotedMessage(row.parts) : null;
      const parts = withoutQuotes(cut ?? row.parts, finder) ?? cut;
      if (parts !== null)
        found.push({ sessionId, id: row.id, parts, isTombstone: false, isSummary: row.kind === 'summary' });
    }
  return found;
}
