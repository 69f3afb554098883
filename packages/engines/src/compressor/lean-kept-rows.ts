import { textOfParts, type Part, type RowHeader } from '@palimpsest/core';
import type { Layout } from './choose-layout.ts';
import type { LeanPruned } from './lean-ground.ts';
import { recoveryCall } from './recovery-pointer.ts';
import { redact } from './redact.ts';
import { imageMark, isImage, isPerson, isPlainAnswer } from './row-kinds.ts';
import { callsOfResults, resultText } from './tool-rounds.ts';
import { describeResult, duplicateStub, stubText } from './tool-stub.ts';

/** Characters of a result that its pointer's words come from. */
const sampleChars = 4_000;

/**
 * Kept rows that lean mode writes anew, by index: old results as one line, all images but the newest, over-long answers
 * of the tail. Rows left out stay as they are.
 */
export function leanKeptRows(
  rows: readonly RowHeader[],
  layout: Layout,
  { lean, mostAnswerChars }: { lean: LeanPruned; mostAnswerChars: number | null },
): ReadonlyMap<number, readonly Part[]> {
  const gone = new Set(layout.middle);
  const changed = new Map<number, readonly Part[]>();
  const images = newestImages(rows, lean);
  const calls = callsOfResults(rows, lean.bodyOf);
  const tailStart = layout.summary ? layout.summary.lastRow : rows.length;
  const cleared = new Set(layout.cleared);
  for (const [index, row] of rows.entries()) {
    if (gone.has(index)) continue;
    let parts = lean.bodies.get(row.id)?.parts ?? [];
    const before = parts;
    if (!images.has(index) && parts.some(isImage))
      parts = parts.map((part) => (isImage(part) ? dropped(part) : part));
    if (lean.demoted.has(index) || cleared.has(index))
      parts = demote(index, { parts, lean, gone, cleared, calls });
    if (mostAnswerChars !== null && index > tailStart && isPlainAnswer(row))
      parts = shorten(parts, mostAnswerChars);
    if (parts !== before) changed.set(index, parts);
  }
  return changed;
}

interface Demoted {
  parts: readonly Part[];
  lean: LeanPruned;
  gone: ReadonlySet<number>;
  cleared: ReadonlySet<number>;
  calls: ReturnType<typeof callsOfResults>;
}

/** A result that stands again below says so only where that copy stays whole; else it gets a line of its own. */
function demote(index: number, { parts, lean, gone, cleared, calls }: Demoted): readonly Part[] {
  const copy = lean.newestCopy.get(index);
  const hasCopy = copy !== undefined && !gone.has(copy) && !lean.demoted.has(copy) && !cleared.has(copy);
  const text = resultText(parts);
  return parts
    .filter((part) => part.type === 'tool_result')
    .map((result, at) => {
      if (at > 0) return { ...result, text: '' };
      if (hasCopy) return { ...result, text: duplicateStub() };
      const call = calls.get(index) ?? null;
      const described = redact(describeResult(result.name, { call, result: text, isError: result.isError }));
      return { ...result, text: stubText(described, recoveryCall(redact(text.slice(0, sampleChars)))) };
    });
}

/** Rows whose images stay: the newest message of a person that has one, the newest result that has one. */
function newestImages(rows: readonly RowHeader[], { bodies }: LeanPruned): ReadonlySet<number> {
  const hasImage = (row: RowHeader): boolean => bodies.get(row.id)?.parts.some(isImage) ?? false;
  return new Set([
    rows.findLastIndex((row) => isPerson(row) && hasImage(row)),
    rows.findLastIndex((row) => row.role === 'tool' && hasImage(row)),
  ]);
}

function dropped(part: Part): Part {
  return { type: 'text', text: imageMark(part) };
}

/** tail_assistant_max_chars: the beginning, and how to read the rest. */
function shorten(parts: readonly Part[], mostChars: number): readonly Part[] {
  const text = textOfParts(parts.filter((part) => part.type === 'text'));
  if (text.length <= mostChars) return parts;
  const footer = `\n[… ${text.length} characters in all. Whole text: ${recoveryCall(redact(text.slice(0, sampleChars)))}]`;
  const short: Part = { type: 'text', text: text.slice(0, mostChars).toWellFormed() + footer };
  return [short, ...parts.filter((part) => part.type !== 'text')];
}
