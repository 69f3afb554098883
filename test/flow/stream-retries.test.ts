/** One visible answer, whatever it takes to get there: the whole way from a model that streams to Telegram. */
import { describe, expect, test } from 'vitest';
import type { Tool } from '@palimpsest/core';
import { type FakeTelegram, type ModelScript } from '@palimpsest/testkit';
import { adapterOf, botApiSchema, telegramForEach } from '../support/fake-telegram.ts';
import { openTurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

const chatId = 4_242;
/** About 330 tokens. */
const long = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(18);
const answer = 'It leaves at nine.';
const timetable: Tool = {
  repeatable: true,
  schema: { name: 'timetable', description: 'tells times', parameters: { type: 'object', properties: {} } },
  run: async () => ({ text: 'nine', isError: false }),
};

/** Looks into the timetable, which people see being written; the request after that fails once for `model`. */
function failingAfterTool(fault: 'insufficient_quota' | 'overflow'): ModelScript {
  let hasFailed = false;
  return ({ messages, model }) => {
    const last = messages.at(-1)!;
    if (last.toolResults.length > 0) {
      const fails = fault === 'overflow' ? !hasFailed : model === 'claude-sonnet-5';
      hasFailed = true;
      return fails ? { fault } : { text: answer };
    }
    if (!last.text.includes('When')) return { text: `Noted. ${long}` };
    return {
      text: 'Let me look into the timetable first.',
      // What is seen first is a piece or more: its words are whole.
      chunkSize: 12,
      chunkDelayMs: 400,
      toolCalls: [{ name: 'timetable', arguments: {} }],
    };
  };
}

describe.skipIf(botApiSchema.missing)('G15 on Telegram', () => {
  let telegram: FakeTelegram;

  telegramForEach(chatId, (opened) => (telegram = opened));

  test.each([
    ['another model that takes over', 'insufficient_quota'],
    ['a prompt that is refused, condensed and sent again', 'overflow'],
  ] as const)('%s leaves one visible answer', async (_what, fault) => {
    await using world = await openTurnWorld({
      script: failingAfterTool(fault),
      tools: [timetable],
      window: 8_000,
      config: `model: {fallback: [claude-haiku-4-5]}\nplatforms: {telegram: {allowed_users: [${chatId}]}}`,
      adapters: [adapterOf(telegram)],
    });
    const texts = () => telegram.sent(chatId).map(({ text }) => text ?? '');
    const answers = () => texts().filter((text) => !text.startsWith('ℹ️'));
    for (let line = 1; line <= 5; line++) {
      telegram.userSends({ chatId, text: `Line ${line}. ${long}` });
      await until(() => answers().filter((text) => text.endsWith('dusk.')).length === line);
    }

    telegram.userSends({ chatId, text: 'When does the ferry leave?' });
    await until(() => texts().includes(answer));
    await until(async () => (await world.store.outbox.busyChats(accountId())).length === 0);

    expect(answers().slice(5)).toEqual([answer]);
    // It was seen being written before the failure.
    const written = telegram.requestsTo('sendMessage').map(({ params }) => String(params.text));
    expect(written.some((text) => text.startsWith('Let me'))).toBe(true);
  });

  const accountId = () => `telegram-${telegram.token.split(':')[0]}`;
});
