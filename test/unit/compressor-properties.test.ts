import type { NewRow } from '@palimpsest/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askFor, budgetOf } from '../support/compress.ts';
import { callRow, MemoryTranscript, ScriptedSummariser, words } from '../support/memory-transcript.ts';
import {
  beforePlan,
  checkAfter,
  checkPrompt,
  newestTokens,
  originalsOf,
  tokensOf,
} from '../support/plan-laws.ts';
import { anyTurn, anyTurnWithImages } from '../support/transcript-arbitrary.ts';

const anyWindow = fc.constantFrom(8_000, 16_000, 32_000);
const anyMode = fc.constantFrom('full', 'full', 'full', 'local', 'prune') as fc.Arbitrary<
  'full' | 'local' | 'prune'
>;
const anyAnswer = fc.constantFrom('## Goal\nshort', `## Goal\n${words(400)}`, `## Goal\n${words(2_000)}`);
const anyLayer = fc.constantFrom('agent', 'background', 'hygiene', 'manual') as fc.Arbitrary<
  'agent' | 'background' | 'hygiene' | 'manual'
>;
const modes = ['lean', 'legacy'] as const;

test.each(modes)('%s: any conversation stays whole over any number of compactions', async (tail_mode) => {
  const anyStep = fc.record({
    turns: fc.array(anyTurnWithImages(400), { minLength: 1, maxLength: 12 }),
    mode: anyMode,
    layer: anyLayer,
    answer: anyAnswer,
    inFlight: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 1, maxLength: 4 }),
      anyWindow,
      async (steps, windowTokens) => {
        const transcript = new MemoryTranscript();
        for (const [index, { turns, mode, layer, answer, inFlight }] of steps.entries()) {
          for (const row of turns.flat()) transcript.append(row);
          if (inFlight && index === steps.length - 1)
            transcript.append(callRow([{ id: 'flying' }, { id: 'flying-too' }]));
          const ask = () => {
            const summariser = new ScriptedSummariser([answer]);
            return askFor(transcript, { windowTokens, mode, layer, config: { tail_mode }, summariser });
          };
          const [plan, again] = [await ask(), await ask()];
          expect(again).toEqual(plan);
          if (plan.kind === 'none') continue;
          const before = beforePlan(transcript);
          transcript.apply(plan);
          checkAfter(transcript, before, plan);
          await checkPrompt(transcript, budgetOf(windowTokens));
        }
      },
    ),
    { numRuns: 80 },
  );
});

test.each(modes)(
  '%s: any conversation over the limit fits after one compaction where its newest message allows it',
  async (tail_mode) => {
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

          const plan = await askFor(transcript, { windowTokens, mode: 'local', config: { tail_mode } });
          if (plan.kind === 'plan') transcript.apply(plan);

          expect(budget.overheadTokens + tokensOf(transcript.rows)).toBeLessThan(hardLimit);
        },
      ),
      { numRuns: 80 },
    );
  },
);

test.each(modes.flatMap((mode) => [0, 1, 2, 3].map((count) => [mode, count] as const)))(
  '%s: a session of %i rows is never broken',
  async (tail_mode, count) => {
    const rows: readonly NewRow[] = Array.from({ length: count }, (_, index) =>
      callRow([{ id: `c${index}` }]),
    );
    const transcript = new MemoryTranscript();
    for (const row of rows) transcript.append(row);

    for (const mode of ['full', 'local', 'prune'] as const) {
      const wish = { windowTokens: 8_000, mode, force: true, config: { tail_mode } };
      expect((await askFor(transcript, wish)).kind).toBe('none');
    }
    await checkPrompt(transcript, budgetOf(8_000));
  },
);

test.each(modes)(
  '%s: a session of 2,000 rows is compacted five times over and loses nothing',
  async (tail_mode) => {
    const turns = fc.sample(anyTurnWithImages(60), { numRuns: 1_000, seed: 7 }).flat().slice(0, 2_000);
    const transcript = new MemoryTranscript();
    for (const [index, row] of turns.entries()) {
      transcript.append(row);
      if (index % 400 !== 399) continue;
      const plan = await askFor(transcript, { windowTokens: 16_000, config: { tail_mode } });
      expect(plan.kind).toBe('plan');
      if (plan.kind === 'none') continue;
      const before = beforePlan(transcript);
      transcript.apply(plan);
      checkAfter(transcript, before, plan);
    }

    expect(originalsOf(transcript)).toBe(2_000);
  },
);

test.each(modes)(
  '%s: 10,000 rows that nobody ever compacted become a prompt that fits, in one go',
  async (tail_mode) => {
    const turns = fc.sample(anyTurnWithImages(40), { numRuns: 3_000, seed: 11 }).flat().slice(0, 10_000);
    const transcript = new MemoryTranscript();
    for (const row of turns) transcript.append(row);
    const budget = budgetOf(32_000);

    const plan = await askFor(transcript, { windowTokens: 32_000, config: { tail_mode }, mode: 'local' });
    if (plan.kind === 'plan') transcript.apply(plan);

    expect(turns).toHaveLength(10_000);
    expect(tokensOf(transcript.rows) + budget.overheadTokens).toBeLessThan(24_000);
    expect(originalsOf(transcript)).toBe(10_000);
  },
);
