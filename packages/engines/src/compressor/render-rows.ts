import { textOfParts, type MessageRow, type Part, type RowHeader } from '@palimpsest/core';
import { clearedToolOutput, shortResultChars } from './prune-tool-results.ts';
import { redact } from './redact.ts';
import { splitMerged } from './summary-text.ts';

/** Arguments longer than this lose the ends of their long strings; the originals stay searchable. */
const longArgumentChars = 1_500;
const keptStringChars = 200;

/** A row as the summariser reads it; `text` is redacted. */
export interface Block {
  rowId: number;
  text: string;
}

/** One block a row, in order; merged rows give only their own content. Long tool results come cleared. */
export function renderRows(
  rows: readonly RowHeader[],
  bodies: ReadonlyMap<number, MessageRow>,
): readonly Block[] {
  return rows.map((row) => {
    const parts = splitMerged(bodies.get(row.id)?.parts ?? []).content;
    return { rowId: row.id, text: redact(renderRow(row, parts)) };
  });
}

function renderRow(row: RowHeader, parts: readonly Part[]): string {
  if (row.role === 'tool')
    return parts
      .filter((part) => part.type === 'tool_result')
      .map(renderResult)
      .join('\n');
  const said = textOfParts(parts);
  const lines = [`[${labelOf(row)}] ${row.role === 'assistant' ? stripThinking(said) : said}`.trimEnd()];
  for (const part of parts)
    if (part.type === 'tool_call')
      lines.push(`[assistant calls ${part.name}] ${shortenArguments(part.arguments, longArgumentChars)}`);
  return lines.join('\n');
}

function renderResult(part: Extract<Part, { type: 'tool_result' }>): string {
  const text = part.text.length > shortResultChars ? clearedToolOutput : part.text;
  return `[tool ${part.name}${part.isError ? ', error' : ''}] ${text}`;
}

/** Who speaks in a line of the summariser's input. */
export function labelOf(row: RowHeader): string {
  if (row.kind === 'notice') return 'notice of the service';
  if (row.kind === 'synthetic') return 'note of the service';
  if (row.role === 'assistant') return 'assistant';
  return row.sender ? `user ${row.sender.name}` : 'user';
}

/** Without the model's private reasoning, closed or cut off. */
export function stripThinking(text: string): string {
  if (!text.includes('<think')) return text;
  return text.replace(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/g, '').trim();
}

/** JSON with its long strings cut; bytes stay as they are below the limit, where nothing parses and where nothing is won. */
export function shortenArguments(text: string, limitChars: number): string {
  if (text.length <= limitChars) return text;
  try {
    const short = JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === 'string' ? cutString(value) : value,
    );
    return short.length < text.length ? short : text;
  } catch {
    return text;
  }
}

function cutString(value: string): string {
  if (value.length <= keptStringChars) return value;
  return `${value.slice(0, keptStringChars).toWellFormed()}… (${value.length} characters)`;
}
