/** Decide what a drain takes from the mailbox. No I/O. */
import { seriesHeads, type SeriesPiece } from '@palimpsest/core';

/** An open mailbox row without its text. */
export interface WaitingRow extends SeriesPiece {
  seq: number;
  kind: 'message' | 'command' | 'operator';
  chatRowId: number;
  /** Times it was taken, or could not be. */
  attempts: number;
  /** Milliseconds until it may be taken, 0 = now. */
  waitMs: number;
  /** Of its text. */
  characters: number;
}

export type Choice =
  | { kind: 'none' }
  | { kind: 'later'; waitMs: number }
  | { kind: 'command'; row: WaitingRow }
  | { kind: 'poison'; row: WaitingRow }
  /** `beforeSeq`: the first row that is not taken, null when all are; waiting edits below it ride along. */
  | {
      kind: 'messages';
      seqs: readonly number[];
      chatRowId: number;
      /** Who wrote them, in order; an erased one is empty. */
      senderIds: readonly string[];
      beforeSeq: number | null;
    };

export interface ChoiceLimits {
  /** Messages of one turn at most. */
  maxTexts: number;
  /** Characters of one turn at most; a message that is longer alone goes alone. */
  maxCharacters: number;
  maxAttempts: number;
  /** What waits is answered together, or one message after the other. */
  collect: boolean;
}

/**
 * The oldest row decides: a command goes alone; messages go together as long as they follow each other in one chat, up
 * to `maxTexts` and `maxCharacters`: what is answered together must fit into the prompt together. Without `collect` a message
 * goes alone. Pieces of one message are never parted, unless they alone are more than `maxTexts`, and when one of them may still grow, all that is taken waits for it.
 * A message that could not be taken before goes alone, so that it takes no other with it when it is given up.
 *
 * waiting  open rows in mailbox order without edits, at least `maxTexts` + 1 of them if there are as many
 */
export function chooseRows(waiting: readonly WaitingRow[], limits: ChoiceLimits): Choice {
  const [first] = waiting;
  if (first === undefined) return { kind: 'none' };
  if (first.attempts >= limits.maxAttempts) return { kind: 'poison', row: first };
  const taken = first.kind === 'message' ? takeMessages(waiting, first, limits) : [first];
  const waitMs = Math.max(...taken.map((row) => row.waitMs));
  if (waitMs > 0) return { kind: 'later', waitMs };
  if (first.kind !== 'message') return { kind: 'command', row: first };
  return {
    kind: 'messages',
    seqs: taken.map((row) => row.seq),
    chatRowId: first.chatRowId,
    senderIds: [...new Set(taken.map((row) => row.senderId ?? ''))],
    beforeSeq: waiting[taken.length]?.seq ?? null,
  };
}

function takeMessages(
  waiting: readonly WaitingRow[],
  first: WaitingRow,
  limits: ChoiceLimits,
): readonly WaitingRow[] {
  if (first.attempts > 0) return [first];
  const end = waiting.findIndex(
    (row) => row.kind !== 'message' || row.chatRowId !== first.chatRowId || row.attempts > 0,
  );
  const together = end === -1 ? waiting : waiting.slice(0, end);
  const heads = seriesHeads(together);
  return together.slice(0, Math.min(howMany(heads, limits), fitting(together, heads, limits.maxCharacters)));
}

/** `heads`: for each message the index of the first piece of it. */
function howMany(heads: readonly number[], { maxTexts, collect }: ChoiceLimits): number {
  const second = heads.findIndex((head) => head > 0);
  if (!collect && second !== -1) return Math.min(second, maxTexts);
  if (heads.length <= maxTexts) return heads.length;
  return heads[maxTexts] || maxTexts;
}

/** How many rows there are before the first message that does not fit beside those before it. */
function fitting(rows: readonly WaitingRow[], heads: readonly number[], maxCharacters: number): number {
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    characters += row.characters;
    if (characters > maxCharacters && heads[index]! > 0) return heads[index]!;
  }
  return rows.length;
}
