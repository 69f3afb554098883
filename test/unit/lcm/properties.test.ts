/** What no sweep may ever break, over any conversation, model and size. */
import { estimateParts, estimateTokens, type NewRow } from '@palimpsest/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseKept } from '../../../packages/engines/src/lcm/choose-kept.ts';
import { fallbackText } from '../../../packages/engines/src/lcm/fallback-text.ts';
import { cutMiddle } from '../../../packages/engines/src/lcm/cut-middle.ts';
import { escapeXml } from '../../../packages/engines/src/lcm/present-summary.ts';
import { LcmWorld } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { anyTurn } from '../../support/transcript-arbitrary.ts';

const summarisers = [
  models.shrinking,
  models.echo,
  models.growing,
  models.empty,
  () => models.failing('summary_auth'),
  () => models.failing('summary_timeout', 'local'),
  () => models.throwingAt(2),
];

const wishes = [
  { layer: 'manual', trigger: 'manual', force: true, mode: 'full' },
  { layer: 'hygiene', trigger: 'hygiene', force: false, mode: 'full' },
  { layer: 'agent', trigger: 'threshold', force: false, mode: 'full' },
  { layer: 'background', trigger: 'prepared', force: false, mode: 'full' },
  { layer: 'overflow', trigger: 'emergency', force: true, mode: 'local' },
] as const;

type Step =
  | { kind: 'turn'; rows: readonly NewRow[] }
  | { kind: 'compress'; wish: number; summariser: number; share: number; isRetried: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anyTurn(150).map((rows): Step => ({ kind: 'turn', rows })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('compress' as const),
      wish: fc.nat(wishes.length - 1),
      summariser: fc.nat(summarisers.length - 1),
      share: fc.double({ min: 0.3, max: 1.2, noNaN: true }),
      isRetried: fc.boolean(),
    }),
  },
);

const sizes = fc.record({
  fresh_tail_count: fc.nat(12),
  leaf_chunk_tokens: fc.integer({ min: 50, max: 2_000 }),
  condensed_target_tokens: fc.integer({ min: 10, max: 400 }),
  incremental_max_depth: fc.integer({ min: -1, max: 3 }),
  summary_prefix_target_tokens: fc.integer({ min: 1, max: 2_000 }),
  max_sweep_iterations: fc.integer({ min: 1, max: 20 }),
});

test('from the context every message is reached exactly once and in order, and no sweep makes it larger', async () => {
  let plans = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 30 }),
      sizes,
      fc.constantFrom(2_000, 8_000, 32_000),
      async (steps, config, windowTokens) => {
        const world = new LcmWorld(config, { windowTokens });
        for (const one of steps) plans += await take(world, one);
      },
    ),
    { numRuns: 150 },
  );
  expect(plans).toBeGreaterThan(150);
}, 120_000);

/** returns how many plans it came to */
async function take(world: LcmWorld, one: Step): Promise<number> {
  if (one.kind === 'turn') {
    world.append(...one.rows);
    return 0;
  }
  const before = sizeOf(world);
  world.summariser = summarisers[one.summariser]!();
  const newest = world.transcript.rows.findLast(({ kind }) => kind === 'person')?.id;
  const plan = await world.compress({
    ...wishes[one.wish]!,
    promptTokens: Math.floor(world.windowTokens * one.share),
  });
  if (plan.kind === 'plan') {
    world.apply(plan);
    // The same plan again is refused, not done twice.
    if (one.isRetried && plan.archive.length > 0) expect(() => world.apply(plan)).toThrow();
    expect(sizeOf(world)).toBeLessThan(before);
    expect(plan.figures.rowsDroppedWithoutSummary).toBe(0);
  }
  expect(world.reached()).toEqual(world.transcript.all.map(({ id }) => id));
  if (world.config.context.lcm.fresh_tail_count > 0 && newest !== undefined)
    expect(world.transcript.rows.some(({ id }) => id === newest)).toBe(true);
  await checkPrompt(world);
  return plan.kind === 'plan' ? 1 : 0;
}

/** Tokens of everything in the context, whether or not a prompt has room for it. */
function sizeOf({ transcript, store }: LcmWorld): number {
  const rows = transcript.rows.reduce((sum, { tokens }) => sum + tokens, 0);
  return store.items.reduce((sum, { summaryId }) => sum + store.nodes.get(summaryId)!.tokens, rows);
}

/** Every call of the prompt is answered by the messages behind it, but for those in flight. */
async function checkPrompt(world: LcmWorld): Promise<void> {
  const messages = await world.assemble();
  const idsOf = (type: 'tool_call' | 'tool_result') =>
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        if (part.type !== type) return [];
        return part.type === 'tool_call' ? [part.id] : part.type === 'tool_result' ? [part.callId] : [];
      }),
    );
  const last = messages.findLast(({ role }) => role !== 'tool');
  const flying = last?.parts.filter(({ type }) => type === 'tool_call').length ?? 0;
  const calls = idsOf('tool_call').length;
  const results = idsOf('tool_result').length;
  expect(results).toBeLessThanOrEqual(calls);
  expect(results).toBeGreaterThanOrEqual(calls - flying);
  for (const { parts } of messages) expect(estimateParts(parts)).toBeGreaterThan(0);
}

test('a text without a model never passes its cap, whatever it is made of', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      fc.integer({ min: 64, max: 512 }),
      (source, cap) => {
        const text = fallbackText(source, cap);
        expect(estimateTokens(text)).toBeLessThanOrEqual(cap);
        expect(cutMiddle(source, cap).isWellFormed() || !source.isWellFormed()).toBe(true);
      },
    ),
  );
});

test('nothing in a summary can end its block', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '/', '"', '&', 'content', ' ') }), (text) => {
      expect(escapeXml(text)).not.toMatch(/[<>"]/);
    }),
  );
});

test('what is kept is in order, holds the tail, and only its beginning is missing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 40 }),
      fc.nat(40),
      fc.integer({ min: 1, max: 8_000 }),
      (tokens, tailCount, budget) => {
        const items = tokens.map((size, index) => ({
          kind: 'row' as const,
          ordinal: index,
          tokens: size,
          row: {} as never,
        }));
        const tail = new Set(
          items.map(({ ordinal }) => ordinal).slice(Math.max(0, items.length - tailCount)),
        );
        const kept = chooseKept(items, tail, budget);
        expect(kept).toEqual(items.slice(items.length - kept.length));
        expect(kept.length).toBeGreaterThanOrEqual(tail.size);
      },
    ),
  );
});
