import { textOfParts, type Part, type RowHeader } from '@palimpsest/core';
import { errorLines } from './error-lines.ts';
import type { Demotion } from './demote-results.ts';
import { redact } from './redact.ts';
import { labelOf, shortenArguments, stripThinking } from './render-rows.ts';
import { imageMark, isImage } from './row-kinds.ts';
import { splitMerged } from './summary-text.ts';
import { callsOfResults, resultText, type BodyOf } from './tool-rounds.ts';
import { describeResult, isStub, type ToolCallText } from './tool-stub.ts';

/** Results up to here are told whole, longer ones by what was called and how it came out. */
const wholeResultChars = 200;
const longArgumentChars = 500;
const errorsShown = 3;
/** What failed stands near the end of an output; the index of anchors reads all of it. */
const searchedChars = 6_000;
const lastLineChars = 160;

export interface LeanRows {
  rows: readonly RowHeader[];
  bodyOf: BodyOf;
  demoted: ReadonlyMap<number, Demotion>;
}

/**
 * One text a row for the summariser, redacted, in order. Nothing is left out: what people and the model wrote comes whole,
 * long arguments lose the ends of their strings, long results become a line with their error messages and last line.
 * indexes   into `rows`
 */
export function renderLeanRows(indexes: readonly number[], from: LeanRows): readonly string[] {
  const calls = callsOfResults(from.rows, from.bodyOf);
  return indexes.map((index) => {
    const row = from.rows[index]!;
    const parts = splitMerged(from.bodyOf(row)).content;
    const isRepeat = from.demoted.get(index) === 'duplicate';
    const text =
      row.role === 'tool' ? renderResult(parts, calls.get(index) ?? null, isRepeat) : renderSaid(row, parts);
    return redact(text);
  });
}

function renderSaid(row: RowHeader, parts: readonly Part[]): string {
  const said = textOfParts(parts.filter((part) => !isImage(part)));
  const lines = [`[${labelOf(row)}] ${row.role === 'assistant' ? stripThinking(said) : said}`.trimEnd()];
  for (const part of parts) {
    if (isImage(part)) lines.push(imageMark(part));
    if (part.type === 'tool_call')
      lines.push(`[assistant calls ${part.name}] ${shortenArguments(part.arguments, longArgumentChars)}`);
  }
  return lines.join('\n');
}

function renderResult(parts: readonly Part[], call: ToolCallText | null, isRepeat: boolean): string {
  const result = parts.find((part) => part.type === 'tool_result');
  const text = resultText(parts);
  const images = parts.filter(isImage).map(imageMark);
  const label = `[tool ${result?.name ?? 'result'}${result?.isError ? ', error' : ''}]`;
  if (text.length <= wholeResultChars || isStub(text)) return [`${label} ${text}`, ...images].join('\n');
  if (isRepeat) return [`${label} the same result as one further below`, ...images].join('\n');
  const described = describeResult(result?.name ?? '', { call, result: text, isError: false });
  return [`${label} ${described}`, ...keyLines(text), ...images].join('\n');
}

/** What a long result says in the end, and what failed in it. */
function keyLines(text: string): readonly string[] {
  const ends = text.slice(-searchedChars);
  const errors = [...new Set(errorLines(ends).map(({ line }) => line))].slice(-errorsShown);
  const last = text.trimEnd().slice(-lastLineChars * 2);
  const ending = last
    .slice(last.lastIndexOf('\n') + 1)
    .trim()
    .slice(0, lastLineChars)
    .toWellFormed();
  const lines = errors.map((line) => `  error: ${line}`);
  return ending === '' || errors.includes(ending) ? lines : [...lines, `  ends: ${ending}`];
}
