import { expect, test } from 'vitest';

import { cacheControl } from '../../packages/providers/src/prompt-cache/cache-control.ts';
import { chooseMarks } from '../../packages/providers/src/prompt-cache/choose-marks.ts';
import type { CacheMarks, CacheMessage } from '../../packages/providers/src/prompt-cache/choose-marks.ts';

const plain: CacheMessage = { carriers: [true], openCalls: false };
const empty: CacheMessage = { carriers: [false], openCalls: false };

function marksOf(system: boolean[], messages: CacheMessage[], smallPrefix = false): CacheMarks {
  return chooseMarks({ tools: 0, system, messages, smallPrefix });
}

function blocks(count: number): CacheMessage {
  return { carriers: Array.from({ length: count }, () => true), openCalls: false };
}

test('the marks are on the system prompt and the last three messages', () => {
  expect(marksOf([true], [plain, plain, plain, plain, plain])).toMatchObject({
    system: [0],
    messages: [
      { message: 2, block: 0 },
      { message: 3, block: 0 },
      { message: 4, block: 0 },
    ],
  });
});

test('the note after the first system block carries no mark', () => {
  expect(marksOf([true, true], []).system).toEqual([0]);
});

test('fewer messages have fewer marks', () => {
  expect(marksOf([], [plain])).toMatchObject({ system: [], messages: [{ message: 0, block: 0 }] });
});

test('the mark of a message is on its last block that can carry one', () => {
  const thinkingLast: CacheMessage = { carriers: [true, true, false], openCalls: false };

  expect(marksOf([], [thinkingLast]).messages).toEqual([{ message: 0, block: 1 }]);
});

test('a message without a carrier uses up no slot', () => {
  expect(marksOf([], [plain, plain, plain, empty, plain]).messages.map(({ message }) => message)).toEqual([
    1, 2, 4,
  ]);
});

test('an assistant message with open calls is no end point', () => {
  expect(
    marksOf([], [plain, plain, { carriers: [true], openCalls: true }]).messages.map(({ message }) => message),
  ).toEqual([0, 1]);
});

test('more than twenty blocks between the last two marks move the older one between them', () => {
  expect(marksOf([true], [plain, plain, blocks(30)]).messages).toEqual([
    { message: 0, block: 0 },
    { message: 2, block: 14 },
    { message: 2, block: 29 },
  ]);
});

test('twenty blocks are still looked back over', () => {
  expect(marksOf([true], [plain, plain, blocks(20)]).messages).toEqual([
    { message: 0, block: 0 },
    { message: 1, block: 0 },
    { message: 2, block: 19 },
  ]);
});

test('two requests of a tool loop share an end point', () => {
  const first = [plain, plain, plain];
  const second = [...first, blocks(2), blocks(2)];

  const before = marksOf([true], first).messages.at(-1);

  expect(marksOf([true], second).messages).toContainEqual(before);
});

test('five minutes are not spelt out, an hour is', () => {
  expect([cacheControl('5m'), cacheControl('1h')]).toEqual([
    { type: 'ephemeral' },
    { type: 'ephemeral', ttl: '1h' },
  ]);
});

test('a free slot bridges the gap before an older mark has to move', () => {
  expect(marksOf([true], [plain, blocks(30)]).messages).toEqual([
    { message: 0, block: 0 },
    { message: 1, block: 14 },
    { message: 1, block: 29 },
  ]);
});

test('a prefix that is too small to be cached gives its mark away where another place needs it', () => {
  const small = marksOf([true], [plain, plain, blocks(30)], true);

  expect(small.system).toEqual([]);
  expect(small.messages.map(({ message, block }) => [message, block])).toEqual([
    [0, 0],
    [1, 0],
    [2, 14],
    [2, 29],
  ]);
  expect(marksOf([true], [plain, plain, plain], true).system).toEqual([0]);
});

test('never more than four marks, whatever the prompt looks like', () => {
  const sizes = [0, 1, 5, 19, 21, 50, 200];
  for (const layout of ['system_and_3', 'split_system', 'native_tools', 'automatic'] as const)
    for (const first of sizes)
      for (const last of sizes)
        for (const smallPrefix of [true, false]) {
          const messages = [plain, blocks(first), empty, plain, blocks(last)];
          const marks = chooseMarks({ tools: 3, system: [true, true], messages, smallPrefix }, layout);

          const count =
            (marks.tool === null ? 0 : 1) +
            marks.system.length +
            marks.messages.length +
            (marks.automatic ? 1 : 0);
          expect(count, `${layout} ${first} ${last}`).toBeLessThanOrEqual(4);
          const places = marks.messages.map(({ message, block }) => message * 1_000 + block);
          expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        }
});
