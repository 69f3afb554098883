import { estimateTokens, textOfParts, type MessageRow, type Part, type RowHeader } from '@palimpsest/core';
import { redact } from './redact.ts';
import { stripThinking } from './render-rows.ts';
import { isPerson } from './row-kinds.ts';
import { splitMerged } from './summary-text.ts';
import { cut, oneLine } from './one-line.ts';

export interface DeterministicInput {
  /** The rows that leave the prompt, in order; summaries left out. */
  rows: readonly RowHeader[];
  bodies: ReadonlyMap<number, MessageRow>;
  previous: string;
  /** Most tokens of the text; it is at most 8,000 characters in any case. */
  capTokens: number;
}

export interface DeterministicSummary {
  body: string;
  /** Rows with a line of their own. */
  mentionedRows: number;
}

/** Characters of the whole text and of its parts: enough to go on working, little enough to help. */
const limits = {
  chars: 8_000,
  snapshot: 1_400,
  previous: 3_000,
  turn: 700,
  action: 160,
  actions: 12,
  files: 12,
  blockers: 5,
  turns: 8,
};

interface Line {
  rowId: number;
  text: string;
}

interface Facts {
  snapshot: Line[];
  actions: Line[];
  files: string[];
  blockers: Line[];
  turns: Line[];
}

/** Shares of the character limits that are tried until the text fits. */
const shrinkSteps = [1, 0.75, 0.55, 0.4, 0.28, 0.18, 0.1, 0.05];

/**
 * The summary that needs no model: what was asked last, what was done, which files, what failed, the last turns. The
 * same rows give the same text. Secrets are masked.
 */
export function deterministicSummary(input: DeterministicInput): DeterministicSummary {
  const facts = collectFacts(input);
  for (const share of shrinkSteps) {
    const made = write(facts, input.previous, share);
    if (made.body.length <= limits.chars && estimateTokens(made.body) <= input.capTokens) return made;
  }
  const least = write(facts, '', shrinkSteps.at(-1)!);
  return { ...least, body: cutToTokens(least.body, input.capTokens) };
}

function collectFacts({ rows, bodies }: DeterministicInput): Facts {
  const facts: Facts = { snapshot: [], actions: [], files: [], blockers: [], turns: [] };
  const results = new Map<string, string>();
  const files = new Set<string>();
  // Newest first, since every list keeps its newest entries.
  for (const row of rows.toReversed()) {
    const parts = splitMerged(bodies.get(row.id)?.parts ?? []).content;
    if (row.role === 'tool') noteResult(row, parts, { facts, results });
    else noteSpoken(row, parts, facts);
    for (const part of parts.toReversed())
      if (part.type === 'tool_call') noteCall(row, part, { facts, results, files });
  }
  return { ...facts, files: [...files].reverse() };
}

function noteResult(
  row: RowHeader,
  parts: readonly Part[],
  into: { facts: Facts; results: Map<string, string> },
): void {
  for (const part of parts) {
    if (part.type !== 'tool_result') continue;
    const line = oneLine(part.text, limits.action);
    into.results.set(part.callId, part.isError ? `failed: ${line}` : line || 'done');
    if (part.isError && into.facts.blockers.length < limits.blockers) {
      into.facts.blockers.unshift({ rowId: row.id, text: `${part.name}: ${line}` });
    }
  }
}

function noteSpoken(row: RowHeader, parts: readonly Part[], facts: Facts): void {
  const isFull = facts.turns.length >= limits.turns && facts.snapshot.length > 0;
  const text = isFull ? '' : stripThinking(textOfParts(parts)).trim();
  if (text === '' || row.kind === 'notice' || row.kind === 'synthetic') return;
  if (isPerson(row) && facts.snapshot.length === 0) facts.snapshot.push({ rowId: row.id, text });
  if (facts.turns.length < limits.turns)
    facts.turns.unshift({ rowId: row.id, text: `${row.role === 'user' ? 'User' : 'Assistant'}: ${text}` });
}

function noteCall(
  row: RowHeader,
  call: Extract<Part, { type: 'tool_call' }>,
  into: { facts: Facts; results: Map<string, string>; files: Set<string> },
): void {
  if (into.files.size < limits.files)
    for (const file of filesIn(call.arguments).slice(0, limits.files)) into.files.add(file);
  if (into.facts.actions.length >= limits.actions) return;
  const outcome = into.results.get(call.id) ?? 'no result';
  into.facts.actions.unshift({
    rowId: row.id,
    text: `${call.name} ${oneLine(call.arguments, limits.action)} → ${outcome}`,
  });
}

function write(facts: Facts, previous: string, share: number): DeterministicSummary {
  const most = (chars: number): number => Math.max(20, Math.floor(chars * share));
  const count = (entries: number): number => Math.max(1, Math.round(entries * Math.min(1, share * 1.5)));
  const actions = facts.actions.slice(-count(limits.actions));
  const blockers = facts.blockers.slice(-count(limits.blockers));
  const turns = facts.turns.slice(-count(limits.turns));
  const sections = [
    section(
      'Task Snapshot (historical)',
      facts.snapshot.map((line) => cut(line.text, most(limits.snapshot))),
    ),
    section('Earlier Summary', previous === '' ? [] : [cut(demoteHeadings(previous), most(limits.previous))]),
    section(
      'Completed Actions',
      actions.map((line, index) => `${index + 1}. ${cut(line.text, most(limits.action * 2))}`),
    ),
    section(
      'Relevant Files',
      facts.files.slice(-count(limits.files)).map((file) => `- ${cut(file, 160)}`),
    ),
    section(
      'Blocked',
      blockers.map((line) => `- ${cut(line.text, most(limits.action * 2))}`),
    ),
    section(
      'Last Turns',
      turns.map((line) => cut(line.text, most(limits.turn))),
    ),
  ];
  const body = redact(sections.filter((text) => text !== '').join('\n\n'));
  const mentioned = new Set([...facts.snapshot, ...actions, ...blockers, ...turns].map((line) => line.rowId));
  return { body: body === '' ? 'Nothing in these turns was in words.' : body, mentionedRows: mentioned.size };
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${heading}\n${lines.join('\n')}`;
}

/** Headings of an earlier summary go one level down, so that they are not taken for this one's. */
function demoteHeadings(text: string): string {
  return text.replace(/^##(?=#{0,2} )/gm, '###');
}

function filesIn(text: string): readonly string[] {
  const found = text.match(
    /(?<![\w./-])(?:[\w.-]{1,80}\/){0,12}[\w.-]{1,80}\.(?:py|ts|tsx|js|rs|go|c|h|java|md|yaml|yml|json|toml|sh|txt|html|css|sql)\b/g,
  );
  return found ?? [];
}

/** The beginning of a text within a token cap, cut at the end of a line where there is one. */
export function cutToTokens(text: string, capTokens: number): string {
  let kept = text;
  for (let tokens = estimateTokens(kept); tokens > capTokens && kept !== ''; tokens = estimateTokens(kept)) {
    const length = Math.min(kept.length - 1, Math.floor((kept.length * capTokens * 0.98) / tokens));
    const line = kept.lastIndexOf('\n', length);
    kept = kept.slice(0, line > length * 0.7 ? line : length).toWellFormed();
  }
  return kept;
}
