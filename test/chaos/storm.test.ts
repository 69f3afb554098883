/** Workers that die all the time: every message is answered once, in order. */
import { describe, expect, test } from 'vitest';
import { answers } from '../support/chaos/scripts.ts';
import { startStorm } from '../support/chaos/storm.ts';
import { botApiSchema, openChaos, until } from '../support/chaos/world.ts';

const marks = ['m1', 'm2', 'm3', 'm4', 'm5'];

describe.skipIf(botApiSchema.missing)('two workers', () => {
  test('killed again and again: 20 sessions of 5 messages lose nothing', async ({ onTestFailed }) => {
    await using world = await openChaos({
      onTestFailed,
      queue: 'redis',
      script: (request) => ({ ...answers(request), delayMs: 150 }),
      // A turn that dies three times is given up by default, and here they die for no fault of their own.
      worker: { max_turn_attempts: 50, max_texts_per_turn: 1 },
    });
    const chats = Array.from({ length: 20 }, (_, index) => 600 + index);
    const [, first, second] = await Promise.all([
      world.start('gateway'),
      world.start('worker'),
      world.start('worker'),
    ]);
    const storm = startStorm({
      workers: [first, second],
      everyMs: 700,
      start: () => world.run(['apps/cli/src/main.ts', 'worker']),
    });

    for (const [index, mark] of marks.entries()) {
      for (const chat of chats) world.says(chat, mark);
      // Three kills a round: about 2 s on a machine with nothing else to do.
      await until(() => expect(storm.kills).toBeGreaterThanOrEqual(3 * (index + 1)), 60_000);
    }
    await storm.stop();

    for (const chat of chats) await world.answeredOnce(chat, marks);
  });
});
