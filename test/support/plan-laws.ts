/** What no plan may ever break, checked on the store's rules in memory. */
import type { CompactionPlan, MessageRow, PromptBudget } from '@palimpsest/core';
import { expect } from 'vitest';
import { compressorFor } from './compress.ts';
import type { MemoryTranscript } from './memory-transcript.ts';

export interface BeforePlan {
  rows: readonly MessageRow[];
  originals: number;
}

export function beforePlan(transcript: MemoryTranscript): BeforePlan {
  return { rows: transcript.rows, originals: originalsOf(transcript) };
}

export function originalsOf(transcript: MemoryTranscript): number {
  return transcript.all.filter((row) => row.replaces === undefined && row.kind !== 'summary').length;
}

export function checkAfter(transcript: MemoryTranscript, before: BeforePlan, plan: CompactionPlan): void {
  const { rows, all } = transcript;
  expect(new Set(plan.archive).size).toBe(plan.archive.length);
  expect(all.filter((row) => row.replaces === undefined && row.kind !== 'summary')).toHaveLength(
    before.originals,
  );
  expect(tokensOf(rows)).toBeLessThan(tokensOf(before.rows));
  expect(rows.filter((row) => row.kind === 'summary').length).toBeLessThanOrEqual(
    1 + (plan.outcome === 'fallback_trim' ? 1 : 0),
  );
  checkNewestMessage(transcript, before.rows);
  checkPairs(rows, before.rows);
  // Rows that stay are the same rows in the same order.
  const kept = rows.filter((row) => before.rows.some((old) => old.id === row.id)).map((row) => row.id);
  expect(kept).toEqual(before.rows.map((row) => row.id).filter((id) => !plan.archive.includes(id)));
}

function checkNewestMessage({ rows }: MemoryTranscript, before: readonly MessageRow[]): void {
  const newest = before.findLast(
    (row) =>
      row.kind === 'person' || (row.kind === 'summary' && row.replaces !== undefined && row.role === 'user'),
  );
  if (newest) expect(rows.some((row) => row.id === newest.id || row.replaces === newest.id)).toBe(true);
}

/** A result has its call before it, and a call that had its result keeps it. */
function checkPairs(rows: readonly MessageRow[], before: readonly MessageRow[]): void {
  expect(unpaired(rows)).toEqual(
    unpaired(before).filter((id) => rows.some((row) => row.toolCallIds.includes(id))),
  );
}

function unpaired(rows: readonly MessageRow[]): readonly string[] {
  const open: string[] = [];
  for (const row of rows) {
    open.push(...row.toolCallIds);
    if (row.toolCallId === undefined) continue;
    const index = open.lastIndexOf(row.toolCallId);
    if (index === -1) return [`result without call: ${row.toolCallId}`];
    open.splice(index, 1);
  }
  return open;
}

export function tokensOf(rows: readonly MessageRow[]): number {
  return rows.reduce((sum, row) => sum + row.tokens, 0);
}

/** Every call of the prompt is answered, but for those in flight. */
export async function checkPrompt(transcript: MemoryTranscript, budget: PromptBudget): Promise<void> {
  const { messages } = await compressorFor(budget.windowTokens).assemble(transcript, budget);
  const calls = messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])),
  );
  const results = messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])),
  );
  const last = messages.findLast((message) => message.role !== 'tool');
  const flying = last?.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])) ?? [];
  expect(results.length).toBeGreaterThanOrEqual(calls.length - flying.length);
  expect(results.length).toBeLessThanOrEqual(calls.length);
}

/** Tokens of the newest message with a call that may still be in flight. */
export function newestTokens(rows: readonly MessageRow[]): number {
  const newest = rows.findLast((row) => row.kind === 'person')?.tokens ?? 0;
  return newest + (rows.findLast((row) => row.role === 'assistant')?.tokens ?? 0);
}
