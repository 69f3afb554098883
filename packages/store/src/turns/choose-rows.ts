/** Decide what a drain takes from the mailbox. No I/O. */

/** An open mailbox row without its text. */
export interface WaitingRow {
  seq: number;
  kind: 'message' | 'command' | 'operator';
  chatRowId: number;
  attempts: number;
  /** Milliseconds until it may be taken, 0 = now. */
  waitMs: number;
}

export type Choice =
  | { kind: 'none' }
  | { kind: 'later'; waitMs: number }
  | { kind: 'command'; row: WaitingRow }
  | { kind: 'poison'; row: WaitingRow }
  /** `beforeSeq`: the first row that is not taken, null when all are; waiting edits below it ride along. */
  | { kind: 'messages'; seqs: readonly number[]; chatRowId: number; beforeSeq: number | null };

/**
 * The oldest row decides: a command goes alone; messages go together as long as they follow each other in one chat, up
 * to `maxTexts`. When one of them may still grow, all of them wait for it, so that pieces of one text stay together.
 *
 * waiting  open rows in mailbox order without edits, at least `maxTexts` + 1 of them if there are as many
 */
export function chooseRows(
  waiting: readonly WaitingRow[],
  limits: { maxTexts: number; maxAttempts: number },
): Choice {
  const [first] = waiting;
  if (first === undefined) return { kind: 'none' };
  if (first.kind !== 'message') return chooseCommand(first, limits.maxAttempts);
  const end = waiting.findIndex((row) => row.kind !== 'message' || row.chatRowId !== first.chatRowId);
  const taken = waiting.slice(0, Math.min(end === -1 ? waiting.length : end, limits.maxTexts));
  const waitMs = Math.max(...taken.map((row) => row.waitMs));
  if (waitMs > 0) return { kind: 'later', waitMs };
  const next = waiting[taken.length];
  return {
    kind: 'messages',
    seqs: taken.map((row) => row.seq),
    chatRowId: first.chatRowId,
    beforeSeq: next?.seq ?? null,
  };
}

function chooseCommand(row: WaitingRow, maxAttempts: number): Choice {
  if (row.waitMs > 0) return { kind: 'later', waitMs: row.waitMs };
  return row.attempts >= maxAttempts ? { kind: 'poison', row } : { kind: 'command', row };
}
