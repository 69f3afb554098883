import type { CompactionPlan, MessageRow, NewRow } from '@palimpsest/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askFor, budgetOf, compressorFor } from '../support/compress.ts';
import { callRow, MemoryTranscript, ScriptedSummariser, words } from '../support/memory-transcript.ts';
import { anyTurn } from '../support/transcript-arbitrary.ts';

const anyWindow = fc.constantFrom(8_000, 16_000, 32_000);
const anyMode = fc.constantFrom('full', 'full', 'full', 'local', 'prune') as fc.Arbitrary<
  'full' | 'local' | 'prune'
>;
const anyAnswer = fc.constantFrom('## Goal\nshort', `## Goal\n${words(400)}`, `## Goal\n${words(2_000)}`);

/** Everything a plan must never break, checked on the store's rules in memory. */
function checkAfter(
  transcript: MemoryTranscript,
  before: { rows: readonly MessageRow[]; originals: number },
  plan: CompactionPlan,
): void {
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

function tokensOf(rows: readonly MessageRow[]): number {
  return rows.reduce((sum, row) => sum + row.tokens, 0);
}

async function checkPrompt(transcript: MemoryTranscript, windowTokens: number): Promise<void> {
  const { messages } = await compressorFor(windowTokens).assemble(transcript, budgetOf(windowTokens));
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

test('any conversation stays whole over any number of compactions', async () => {
  const anyStep = fc.record({
    turns: fc.array(anyTurn(400), { minLength: 1, maxLength: 12 }),
    mode: anyMode,
    answer: anyAnswer,
    inFlight: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 1, maxLength: 4 }),
      anyWindow,
      async (steps, windowTokens) => {
        const transcript = new MemoryTranscript();
        for (const [index, { turns, mode, answer, inFlight }] of steps.entries()) {
          for (const row of turns.flat()) transcript.append(row);
          if (inFlight && index === steps.length - 1)
            transcript.append(callRow([{ id: 'flying' }, { id: 'flying-too' }]));
          const ask = () =>
            askFor(transcript, { windowTokens, mode, summariser: new ScriptedSummariser([answer]) });
          const [plan, again] = [await ask(), await ask()];
          expect(again).toEqual(plan);
          if (plan.kind === 'none') continue;
          const before = { rows: transcript.rows, originals: originalsOf(transcript) };
          transcript.apply(plan);
          checkAfter(transcript, before, plan);
          await checkPrompt(transcript, windowTokens);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('any conversation over the limit fits after one compaction where its newest message allows it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn(900), { minLength: 1, maxLength: 40 }),
      anyWindow,
      async (turns, windowTokens) => {
        const transcript = new MemoryTranscript();
        for (const row of turns.flat()) transcript.append(row);
        const budget = budgetOf(windowTokens);
        const hardLimit = windowTokens - budget.outputReserveTokens;
        const before = budget.overheadTokens + tokensOf(transcript.rows);
        fc.pre(before >= hardLimit && newestTokens(transcript.rows) < hardLimit * 0.6);

        const plan = await askFor(transcript, { windowTokens, mode: 'local' });
        if (plan.kind === 'plan') transcript.apply(plan);

        expect(budget.overheadTokens + tokensOf(transcript.rows)).toBeLessThan(hardLimit);
      },
    ),
    { numRuns: 100 },
  );
});

test.each([0, 1, 2, 3])('a session of %i rows is never broken', async (count) => {
  const rows: readonly NewRow[] = Array.from({ length: count }, (_, index) => callRow([{ id: `c${index}` }]));
  const transcript = new MemoryTranscript();
  for (const row of rows) transcript.append(row);

  for (const mode of ['full', 'local', 'prune'] as const) {
    expect((await askFor(transcript, { windowTokens: 8_000, mode, force: true })).kind).toBe('none');
  }
  await checkPrompt(transcript, 8_000);
});

test('a session of 2,000 rows is compacted five times over and loses nothing', async () => {
  const turns = fc.sample(anyTurn(60), { numRuns: 1_000, seed: 7 }).flat().slice(0, 2_000);
  const transcript = new MemoryTranscript();
  for (const [index, row] of turns.entries()) {
    transcript.append(row);
    if (index % 400 !== 399) continue;
    const plan = await askFor(transcript, { windowTokens: 16_000 });
    expect(plan.kind).toBe('plan');
    if (plan.kind === 'none') continue;
    const before = { rows: transcript.rows, originals: originalsOf(transcript) };
    transcript.apply(plan);
    checkAfter(transcript, before, plan);
  }

  expect(originalsOf(transcript)).toBe(2_000);
});

function originalsOf(transcript: MemoryTranscript): number {
  return transcript.all.filter((row) => row.replaces === undefined && row.kind !== 'summary').length;
}

/** Tokens of the newest message with a call that may still be in flight. */
function newestTokens(rows: readonly MessageRow[]): number {
  const newest = rows.findLast((row) => row.kind === 'person')?.tokens ?? 0;
  return newest + (rows.findLast((row) => row.role === 'assistant')?.tokens ?? 0);
}
