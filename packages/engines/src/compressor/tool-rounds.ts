import type { MessageRow, Part, RowHeader } from '@palimpsest/core';
import type { ToolCallText } from './tool-stub.ts';

export type BodyOf = (row: RowHeader) => readonly Part[];

/**
 * Texts of rows as they came, stubs and cleared results looked through to the row that they replace.
 * bodies   live rows, and what live tool rows replace
 */
export function originalBodies(bodies: ReadonlyMap<number, MessageRow>): BodyOf {
  return (row) => {
    const original = row.role === 'tool' && row.replaces !== undefined ? bodies.get(row.replaces) : undefined;
    return (original ?? bodies.get(row.id))?.parts ?? [];
  };
}

/** The call of each tool row, by the row's index. A call id may come again: the nearest call before it counts. */
export function callsOfResults(
  rows: readonly RowHeader[],
  bodyOf: BodyOf,
): ReadonlyMap<number, ToolCallText> {
  const open = new Map<string, RowHeader>();
  const calls = new Map<number, ToolCallText>();
  for (const [index, row] of rows.entries()) {
    for (const id of row.toolCallIds) open.set(id, row);
    const caller = row.toolCallId === undefined ? undefined : open.get(row.toolCallId);
    if (row.role !== 'tool' || !caller) continue;
    const call = bodyOf(caller).find((part) => part.type === 'tool_call' && part.id === row.toolCallId);
    if (call?.type === 'tool_call') calls.set(index, call);
  }
  return calls;
}

/** Index of the row that begins the newest `count` tool rounds; 0 when there are fewer. */
export function startOfRounds(rows: readonly RowHeader[], count: number): number {
  let left = count;
  for (let index = rows.length - 1; index >= 0; index--)
    if (rows[index]!.role === 'assistant' && rows[index]!.toolCallIds.length > 0 && --left === 0)
      return index;
  return 0;
}

/** Index behind the last row that the model has answered to: results after it were not read yet. */
export function endOfRead(rows: readonly RowHeader[]): number {
  const last = rows.at(-1);
  if (last?.role !== 'tool') return rows.length;
  return rows.findLastIndex((row) => row.role !== 'tool') + 1;
}

/** The text of a result, whatever else lies beside it. */
export function resultText(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.type === 'tool_result' ? [part.text] : []));
  return texts.length === 1 ? texts[0]! : texts.join('\n');
}
