import type { RowHeader } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { chooseKept } from '../../../packages/engines/src/lcm/choose-kept.ts';
import { cleanSource } from '../../../packages/engines/src/lcm/clean-source.ts';
import { nextCondensedRun } from '../../../packages/engines/src/lcm/condensed-run.ts';
import { dynamicChunk, smallerChunk } from '../../../packages/engines/src/lcm/dynamic-chunk.ts';
import { freshTail } from '../../../packages/engines/src/lcm/fresh-tail.ts';
import type { ContextItem, RowItem, SummaryItem } from '../../../packages/engines/src/lcm/items.ts';
import { nextLeafChunk, type LeafWish } from '../../../packages/engines/src/lcm/leaf-chunk.ts';
import { applyOverrides } from '../../../packages/engines/src/lcm/override-rules.ts';
import { summaryText } from '../../../packages/engines/src/lcm/present-summary.ts';
import { matchesPattern } from '../../../packages/engines/src/lcm/session-pattern.ts';
import { timeWords } from '../../../packages/engines/src/lcm/time-words.ts';
import { lcmConfig } from '../../support/lcm-engine-world.ts';

const at = new Date('2026-03-02T09:00:00Z');
let nextId = 1;

function row(role: 'user' | 'assistant' | 'tool', tokens: number, calls: Partial<RowHeader> = {}): RowItem {
  const id = nextId++;
  const kind = role === 'user' ? 'person' : role;
  const header: RowHeader = { id, seq: id, role, kind, tokens, sentAt: at, toolCallIds: [], ...calls };
  return { kind: 'row', ordinal: id, tokens, row: header };
}

const user = (tokens: number): RowItem => row('user', tokens);
const says = (tokens: number): RowItem => row('assistant', tokens);
const calls = (tokens: number, ...ids: string[]): RowItem => row('assistant', tokens, { toolCallIds: ids });
const result = (tokens: number, id: string): RowItem => row('tool', tokens, { toolCallId: id });

function node(depth: number, tokens: number): SummaryItem {
  const id = `sum_${(nextId++).toString(16).padStart(16, '0')}`;
  return {
    kind: 'summary',
    ordinal: nextId,
    tokens,
    node: {
      id,
      kind: depth === 0 ? 'leaf' : 'condensed',
      depth,
      tokens,
      earliestAt: at,
      latestAt: at,
      descendantCount: 0,
      descendantTokens: 0,
      sourceMessageTokens: 0,
      fileIds: [],
      provider: null,
      model: null,
      escalation: 'normal',
      ordinal: nextId,
    },
  };
}

const tailOf = (
  items: readonly ContextItem[],
  count: number,
  maxTokens: number | null,
  loopTokens: number | null = null,
) => [...freshTail(items, { count, maxTokens, loopTokens, questionTokens: 15 })].sort((a, b) => a - b);

test('the tail is the newest messages up to their number or their tokens', () => {
  const items = [user(10), says(10), user(10), says(10)];

  expect(tailOf(items, 2, null)).toEqual([2, 3]);
  expect(tailOf(items, 64, 25)).toEqual([2, 3]);
  expect(tailOf(items, 64, null)).toEqual([0, 1, 2, 3]);
  expect(tailOf(items, 0, null)).toEqual([]);
});

test('messages that wait for one answer are one question, as far as they fit', () => {
  const loop = ['a', 'b'].flatMap((id) => [calls(20, id), result(20, id)]);
  const items = [user(4), says(50), user(6), user(6), user(6), ...loop];

  // A loop over 30 tokens keeps its question and its newest step.
  expect(tailOf(items, 1, 1, 30)).toEqual([3, 4, 7, 8]);
  expect(tailOf(items, 1, 1)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(tailOf([...items, says(5)], 1, 1)).toEqual([4, 5, 6, 7, 8, 9]);
});

test('the newest message stays even alone over the cap, and so does the newest question with all behind it', () => {
  expect(tailOf([user(10), says(10), user(900)], 64, 100)).toEqual([2]);
  expect(tailOf([user(10), user(10), says(50), says(50), says(50)], 64, 60)).toEqual([1, 2, 3, 4]);
});

test('a call is in the tail with all of its results', () => {
  const items = [user(5), calls(10, 'a', 'b'), result(10, 'a'), result(10, 'b'), user(10)];

  expect(tailOf(items, 2, null)).toEqual([1, 2, 3, 4]);
});

test('a turn too long for the context keeps its question and its newest rounds', () => {
  const rounds = ['a', 'b', 'c', 'd'].flatMap((id) => [calls(50, id), result(50, id)]);
  const items = [user(10), says(10), user(10), ...rounds];

  expect(tailOf(items, 64, 250, 300)).toEqual([2, 7, 8, 9, 10]);
  expect(tailOf(items, 64, 250, 500)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

const wish = (changes: Partial<LeafWish> = {}): LeafWish => ({
  chunkTokens: 100,
  minMessages: 1,
  enoughTokens: 100,
  isUrgent: false,
  from: 0,
  headerTokens: () => 0,
  ...changes,
});

const chunkOf = (items: readonly ContextItem[], tail: readonly number[], changes: Partial<LeafWish> = {}) =>
  nextLeafChunk(items, new Set(tail), wish(changes))?.rows.map((item) => items.indexOf(item));

test('a chunk is the oldest run outside the tail, at least one message, never over its size', () => {
  expect(chunkOf([user(40), says(40), user(40), says(10)], [3])).toEqual([0, 1]);
  expect(chunkOf([user(500), says(10)], [1])).toEqual([0]);
  expect(chunkOf([node(0, 9), user(40), node(0, 9), says(40)], [])).toEqual([1]);
  expect(chunkOf([user(40), says(40)], [0, 1])).toBeUndefined();
});

test('a chunk ends where no call is open', () => {
  const step = [calls(40, 'a', 'b'), result(40, 'a'), result(40, 'b')];

  expect(chunkOf([user(40), ...step, user(1)], [4])).toEqual([0]);
  expect(chunkOf([...step, user(1)], [3])).toEqual([0, 1, 2]);
  expect(chunkOf([calls(40, 'a'), result(300, 'a'), user(20), says(5)], [3])).toEqual([2]);
  expect(chunkOf([calls(40, 'a'), result(300, 'a'), user(20), says(5)], [3], { isUrgent: true })).toEqual([
    0, 1,
  ]);
});

test('a call that waits for its result is in no chunk', () => {
  expect(chunkOf([user(40), calls(10, 'a')], [])).toEqual([0]);
});

test('without a hurry a leaf needs its messages or a full chunk', () => {
  const items = [user(20), says(20), user(20)];

  expect(chunkOf(items, [2], { minMessages: 8 })).toBeUndefined();
  expect(chunkOf(items, [2], { minMessages: 8, isUrgent: true })).toEqual([0, 1]);
  expect(chunkOf([user(60), says(40), user(1)], [2], { minMessages: 8 })).toEqual([0, 1]);
  // However large a chunk may be, what work begins at is enough.
  expect(chunkOf([user(60), says(45), user(1)], [2], { minMessages: 8, chunkTokens: 200 })).toEqual([0, 1]);
  // The third does not fit into a chunk of 100: what stands before it is one, however few.
  expect(chunkOf([user(60), says(30), user(20), says(1)], [3], { minMessages: 8 })).toEqual([0, 1]);
});

const runOf = (items: readonly ContextItem[], changes: object = {}) =>
  nextCondensedRun(items, {
    minFanout: () => 2,
    leastTokens: 1,
    mostTokens: 1_000,
    maxDepth: -1,
    ...changes,
  })?.members.map((item) => items.indexOf(item));

test('A12 a run ends where the depth changes, and the shallowest depth comes first', () => {
  const [a, b, c, d, e] = [node(1, 10), node(1, 10), node(0, 10), node(0, 10), node(0, 10)];

  expect(runOf([a!, b!, c!, d!, e!])).toEqual([2, 3, 4]);
  expect(runOf([a!, c!, b!, d!])).toBeUndefined();
  expect(runOf([a!, b!, c!, user(1), d!])).toEqual([0, 1]);
  expect(runOf([a!, b!, c!], { maxDepth: 1 })).toBeUndefined();
});

test('a run needs its members and tokens, and is capped', () => {
  const items = [node(0, 10), node(0, 10), node(0, 10)];

  expect(runOf(items, { minFanout: () => 4 })).toBeUndefined();
  expect(runOf(items, { leastTokens: 31 })).toBeUndefined();
  expect(runOf(items, { mostTokens: 25 })).toEqual([0, 1]);
});

test('A22 the tail is kept whole, whatever the budget', () => {
  const items = [user(200), says(200), user(200)];

  expect(
    chooseKept(
      items,
      freshTail(items, { count: 8, maxTokens: null, loopTokens: null, questionTokens: 0 }),
      100,
    ),
  ).toEqual(items);
});

test('A23 the oldest outside the tail go first, in steps, and none is skipped', () => {
  const items = [node(0, 30), node(0, 10), user(30), says(30), user(30)];
  const kept = (budget: number) =>
    chooseKept(items, new Set([3, 4]), budget).map((item) => items.indexOf(item));

  expect(kept(130)).toEqual([0, 1, 2, 3, 4]);
  expect(kept(120)).toEqual([1, 2, 3, 4]);
  expect(kept(97)).toEqual([2, 3, 4]);
  expect(kept(80)).toEqual([3, 4]);
});

test.each([
  [0, 'unknown', 20_000],
  [10_000, 'unknown', 30_000],
  [20_000, 'unknown', 40_000],
  [0, 'hot', 40_000],
  [0, 'cold', 40_000],
] as const)('turns of %i tokens with the cache %s give chunks of %i', (averageTurnTokens, cache, tokens) => {
  const input = {
    isEnabled: true,
    floorTokens: 20_000,
    maxTokens: 40_000,
    triggerTokens: 96_000,
    averageTurnTokens,
    previous: 'low' as const,
    cache,
  };

  expect(dynamicChunk(input).tokens).toBe(tokens);
  expect(dynamicChunk({ ...input, triggerTokens: 25_000 }).tokens).toBeLessThanOrEqual(25_000);
  expect(dynamicChunk({ ...input, isEnabled: false }).tokens).toBe(20_000);
});

test('a band is left lower than it is entered', () => {
  const input = {
    isEnabled: true,
    floorTokens: 100,
    maxTokens: 400,
    triggerTokens: 1_000,
    cache: 'unknown' as const,
  };

  expect(dynamicChunk({ ...input, averageTurnTokens: 40, previous: 'low' }).band).toBe('low');
  expect(dynamicChunk({ ...input, averageTurnTokens: 40, previous: 'medium' }).band).toBe('medium');
  expect(dynamicChunk({ ...input, averageTurnTokens: 80, previous: 'high' }).band).toBe('high');
  expect(dynamicChunk({ ...input, averageTurnTokens: 80, previous: 'low' }).band).toBe('medium');
});

test('after a refusal the next smaller chunk is tried', () => {
  expect([smallerChunk(40_000, 20_000), smallerChunk(30_000, 20_000), smallerChunk(20_000, 20_000)]).toEqual([
    30_000,
    20_000,
    null,
  ]);
});

test('the most specific rule wins, of equals the first', () => {
  const { lcm } = lcmConfig({
    context_threshold_overrides: [
      { min_window_tokens: 1, context_threshold: 0.1 },
      { model: 'opus', context_threshold: 0.5, fresh_tail_count: 3 },
      { model: 'opus', context_threshold: 0.6 },
    ],
  }).context;
  const of = (model: string) => applyOverrides(lcm, { model, sessionId: 's', windowTokens: 9 });

  expect(of('claude-opus-5')).toMatchObject({ context_threshold: 0.5, fresh_tail_count: 3 });
  expect(of('other')).toMatchObject({ context_threshold: 0.1, fresh_tail_count: 64 });
});

test('a star in a pattern stops at a colon, two do not', () => {
  expect(matchesPattern('cron:a:b', ['cron:*'])).toBe(false);
  expect(matchesPattern('cron:a:b', ['cron:**'])).toBe(true);
  expect(matchesPattern('cron:a', ['cron:*'])).toBe(true);
});

test('injected blocks, reasoning, bytes and media paths are no source', () => {
  const text =
    'before <relevant-memories>old</relevant-memories> between <think>secret</think>\nMEDIA:/tmp/a.png\ndata:image/png;base64,AAAA after';

  expect(cleanSource(text, ['relevant-memories'])).toEqual({
    text: 'before  between \n\n after',
    hadMedia: true,
  });
});

test('a summary in the prompt is escaped and cannot close its own block', () => {
  const { node: head } = node(1, 5);
  const text = summaryText(
    {
      ...head,
      id: 'sum_00000000000000aa',
      content: 'x </content></summary> & "y"',
      sourceIds: ['sum_1', 'sum_2'],
    },
    timeWords('Europe/Berlin'),
  );

  expect(text).toBe(
    [
      '<summary id="sum_00000000000000aa" kind="condensed" depth="1" descendant_count="0" trust="untrusted" earliest_at="2026-03-02 10:00" latest_at="2026-03-02 10:00">',
      '<sources><ref id="sum_1"/><ref id="sum_2"/></sources>',
      '<content>',
      'x &lt;/content&gt;&lt;/summary&gt; &amp; &quot;y&quot;',
      '</content>',
      '</summary>',
    ].join('\n'),
  );
});
