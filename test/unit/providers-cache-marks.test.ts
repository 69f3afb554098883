import { expect, test } from 'vitest';

import { cacheControl, markedTtl } from '../../packages/providers/src/prompt-cache/cache-control.ts';
import { chooseMarks } from '../../packages/providers/src/prompt-cache/choose-marks.ts';
import type { CacheMessage } from '../../packages/providers/src/prompt-cache/choose-marks.ts';

const plain: CacheMessage = { carriers: [true], openCalls: false };
const empty: CacheMessage = { carriers: [false], openCalls: false };

function blocks(count: number): CacheMessage {
  return { carriers: Array.from({ length: count }, () => true), openCalls: false };
}

test('the marks are on the system prompt and the last three messages', () => {
  expect(chooseMarks([true], [plain, plain, plain, plain, plain])).toEqual({
    system: 0,
    messages: [
      { message: 2, block: 0 },
      { message: 3, block: 0 },
      { message: 4, block: 0 },
    ],
  });
});

test('the note after the first system block carries no mark', () => {
  expect(chooseMarks([true, true], []).system).toBe(0);
});

test('fewer messages have fewer marks', () => {
  expect(chooseMarks([], [plain])).toEqual({ system: null, messages: [{ message: 0, block: 0 }] });
});

test('the mark of a message is on its last block that can carry one', () => {
  const thinkingLast: CacheMessage = { carriers: [true, true, false], openCalls: false };

  expect(chooseMarks([], [thinkingLast]).messages).toEqual([{ message: 0, block: 1 }]);
});

test('a message without a carrier uses up no slot', () => {
  expect(chooseMarks([], [plain, plain, plain, empty, plain]).messages.map(({ message }) => message)).toEqual(
    [1, 2, 4],
  );
});

test('an assistant message with open calls is no end point', () => {
  expect(
    chooseMarks([], [plain, plain, { carriers: [true], openCalls: true }]).messages.map(
      ({ message }) => message,
    ),
  ).toEqual([0, 1]);
});

test('more than twenty blocks between the last two marks move the older one between them', () => {
  expect(chooseMarks([true], [plain, plain, blocks(30)]).messages).toEqual([
    { message: 0, block: 0 },
    { message: 2, block: 14 },
    { message: 2, block: 29 },
  ]);
});

test('twenty blocks are still looked back over', () => {
  expect(chooseMarks([true], [plain, plain, blocks(20)]).messages).toEqual([
    { message: 0, block: 0 },
    { message: 1, block: 0 },
    { message: 2, block: 19 },
  ]);
});

test('two requests of a tool loop share an end point', () => {
  const first = [plain, plain, plain];
  const second = [...first, blocks(2), blocks(2)];

  const before = chooseMarks([true], first).messages.at(-1);

  expect(chooseMarks([true], second).messages).toContainEqual(before);
});

test('five minutes are not spelt out, an hour is', () => {
  expect([cacheControl('5m'), cacheControl('1h')]).toEqual([
    { type: 'ephemeral' },
    { type: 'ephemeral', ttl: '1h' },
  ]);
});

test('marks go to Claude on its own wire and through OpenRouter, and nowhere else', () => {
  const ttl = '1h' as const;

  expect([
    markedTtl({ wire: 'anthropic_messages', provider: 'anthropic', model: 'claude-sonnet-5', ttl }),
    markedTtl({ wire: 'anthropic_messages', provider: 'custom', model: 'claude-sonnet-5', ttl }),
    markedTtl({ wire: 'chat_completions', provider: 'openrouter', model: 'anthropic/claude-sonnet-5', ttl }),
    markedTtl({ wire: 'chat_completions', provider: 'openrouter', model: 'openai/gpt-5.5', ttl }),
    markedTtl({ wire: 'chat_completions', provider: 'custom', model: 'claude-sonnet-5', ttl }),
    markedTtl({ wire: 'anthropic_messages', provider: 'custom', model: 'minimax-m2', ttl }),
  ]).toEqual(['1h', '1h', '1h', null, null, null]);
});
