/** Whoever sees a message twice asks why: the log names, for each that went out, its turn, its part and the attempt. */
import { startFakeTelegram, type FakeTelegram } from '@palimpsest/testkit';
import type { Logger } from '@palimpsest/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAnsweringWorld } from '../support/answering-world.ts';
import { adapterOf, botApiSchema } from '../support/fake-telegram.ts';
import { until } from '../support/until.ts';

const chatId = 4_242;

/** Keeps what is said of messages that go out. */
function readLog() {
  const lines: [message: string, fields: object][] = [];
  const note = (fields: object, message: string): void => {
    if (/preview|part/.test(message)) lines.push([message, fields]);
  };
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return { lines, logger };
}

describe.skipIf(botApiSchema.missing)('in the log', () => {
  let telegram: FakeTelegram;

  beforeEach(async () => {
    telegram = await startFakeTelegram({ schemaPath: botApiSchema.path, liftRateLimits: true });
    telegram.addChat({ id: chatId, type: 'private', first_name: 'Ada' });
  });

  afterEach(() => telegram.close());

  async function openAnswer() {
    const { lines, logger } = readLog();
    const config = 'platforms: {telegram: {allow_all: true}}';
    const world = await openAnsweringWorld(() => adapterOf(telegram).sender, { config, logger });
    const { message } = telegram.userSends({ chatId, text: 'a question' });
    const { message_id: messageId } = message as { message_id: number };
    const answer = await world.answer({ chatId: String(chatId), messageId: String(messageId) });
    return { world, lines, answer, turnId: answer.turn.id };
  }

  test('a part that is sent once more has the line that says why, and a later attempt', async () => {
    const { world, lines, answer, turnId } = await openAnswer();
    await using _world = world;
    telegram.dropAnswerNext('sendMessage');

    await answer.finish(`${'A'.repeat(3_900)}\n\n${'B'.repeat(3_900)}`);
    await until(() => telegram.sent(chatId).length === 3 && lines.length === 3);

    const reply = { replyId: expect.any(Number) as number, turnId, kind: 'final' };
    expect(lines).toEqual([
      ['no receipt of a part; it is sent again with a mark', { ...reply, part: 0 }],
      ['part sent', { ...reply, part: 0, attempt: 2 }],
      ['part sent', { ...reply, part: 1, attempt: 1 }],
    ]);
  });

  test('a preview and the answer that it becomes name the same turn', async () => {
    const { world, lines, answer, turnId } = await openAnswer();
    await using _world = world;

    await answer.write('One');
    await until(() => lines.length === 1);
    await answer.finish('One two.');
    await until(() => lines.length === 2);

    expect(lines).toEqual([
      ['preview sent', { turnId, part: 0 }],
      ['part sent', { replyId: expect.any(Number) as number, turnId, kind: 'final', part: 0, attempt: 1 }],
    ]);
  });
});
