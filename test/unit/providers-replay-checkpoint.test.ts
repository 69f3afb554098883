import { expect, test } from 'vitest';

import { nativeThreshold } from '../../packages/providers/src/openai-responses/native-compaction.ts';
import {
  replayCheckpoint,
  replayLimits,
} from '../../packages/providers/src/openai-responses/replay-checkpoint.ts';
import type { InputItem } from '../../packages/providers/src/openai-responses/response-item.ts';

const person = (text: string): InputItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const answer = (text: string): InputItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const checkpoint = (name: string): InputItem => ({ type: 'compaction', encrypted_content: name });
const summary = person('[CONTEXT COMPACTION] Earlier turns were compacted: …');
const limits = { personTokens: 64_000, summaryTokens: 32_000 };

/** A short form to compare: checkpoints by name, messages by text. */
function short(items: readonly InputItem[]): string[] {
  return items.map((item) => {
    if (item.type === 'message')
      return item.content.map((one) => (one.type === 'input_image' ? '' : one.text)).join('');
    return item.type === 'compaction' ? `<${item.encrypted_content}>` : item.type;
  });
}

test('without a checkpoint everything goes as it is', () => {
  const items = [person('a'), answer('b'), person('c')];

  expect(replayCheckpoint(items, limits)).toEqual(items);
});

test('the newest run of checkpoints comes first, then people, then summaries, then all that is later', () => {
  const items = [
    summary,
    person('one'),
    answer('1'),
    checkpoint('old'),
    answer('2'),
    person('two'),
    checkpoint('new a'),
    checkpoint('new b'),
    answer('3'),
    person('three'),
  ];

  expect(short(replayCheckpoint(items, limits))).toEqual([
    '<new a>',
    '<new b>',
    'one',
    'two',
    '[CONTEXT COMPACTION] Earlier turns were compacted: …',
    '3',
    'three',
  ]);
});

test('tool rounds before the checkpoint are covered, those after it stay whole', () => {
  const round = (id: string): InputItem[] => [
    { type: 'function_call', call_id: id, name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: id, output: 'seen' },
  ];
  const items = [person('a'), ...round('1'), checkpoint('c'), ...round('2')];

  expect(short(replayCheckpoint(items, limits))).toEqual([
    '<c>',
    'a',
    'function_call',
    'function_call_output',
  ]);
});

test('the newest words of people stay, the message at the border loses its beginning', () => {
  const items = [person('oldest'), person('alpha beta gamma delta'), person('newest words'), checkpoint('c')];

  const kept = short(replayCheckpoint(items, { personTokens: 5, summaryTokens: 0 }));

  expect(kept).toHaveLength(3);
  expect(kept[1]).toMatch(/^(?!alpha).+delta$/);
  expect(kept[2]).toBe('newest words');
});

test('a summary over the budget is left out, never cut', () => {
  const items = [summary, person('a'), checkpoint('c')];

  expect(short(replayCheckpoint(items, { personTokens: 100, summaryTokens: 5 }))).toEqual(['<c>', 'a']);
});

test('the budgets are 64,000 and 32,000 tokens and yield to a small window', () => {
  expect(replayLimits(1_050_000)).toEqual({ personTokens: 64_000, summaryTokens: 32_000 });
  expect(replayLimits(272_000)).toEqual({ personTokens: 64_000, summaryTokens: 32_000 });
  expect(replayLimits(16_000)).toEqual({ personTokens: 4_000, summaryTokens: 2_000 });
});

test.each([
  ['nothing configured', null, 231_200, 223_008],
  ['a figure below our trigger', 100_000, 231_200, 100_000],
  ['a figure above our trigger', 250_000, 231_200, 223_008],
  ['a trigger just over the distance', null, 8_500, 1_024],
  ['a trigger within the distance', null, 8_192, 6_553],
  ['no trigger known', null, undefined, 200_000],
  ['a figure and no trigger known', 150_000, undefined, 150_000],
])('with %s the service condenses first', (_what, configured, trigger, expected) => {
  expect(nativeThreshold(configured, trigger)).toBe(expected);
});
