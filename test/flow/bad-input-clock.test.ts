/** The process's clock is wrong or jumps: order, leases and answers do not depend on it. */
import { afterEach, expect, test, vi } from 'vitest';
import { textOfParts } from '@palimpsest/core';
import { openTurnWorld, pause, type TurnWorld } from '../support/turn-world.ts';

const hour = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Only what a wrong machine clock would change; timers go on. */
function setClock(at: number | string): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(new Date(at));
}

async function textsOf(world: TurnWorld): Promise<string[]> {
  return (await world.rows()).map((row) =>
    textOfParts(row.parts.filter((part) => part.type === 'text')).trim(),
  );
}

test('a clock that falls back by a day in the middle of a turn loses neither lease nor answer', async () => {
  const calls: number[] = [];
  await using world = await openTurnWorld({
    script: async () => {
      calls.push(Date.now());
      if (calls.length === 1) {
        setClock(Date.now() - 24 * hour);
        // Longer than the lease, so that it is renewed under the wrong clock.
        for (let waited = 0; waited < 600; waited++) await pause();
      }
      return { text: `answer ${calls.length}` };
    },
    config: 'worker:\n  lease_seconds: 5\n',
  });

  await world.say('first');
  while (calls.length === 0) await pause();
  await world.say('second');

  expect(await world.hear(2)).toEqual(['answer 1', 'answer 2']);
  await world.say('third');
  expect(await world.hear(3)).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(await textsOf(world)).toEqual(['first', 'answer 1', 'second', 'answer 2', 'third', 'answer 3']);
});

test('messages that say they were sent in the far future and in the past are answered in the order they came', async () => {
  let calls = 0;
  await using world = await openTurnWorld({ script: () => ({ text: `answer ${++calls}` }) });

  for (const [index, sentAt] of ['2199-01-01', '1999-01-01', '2026-06-01'].entries()) {
    setClock(sentAt);
    await world.say(`message ${index + 1}`);
    await world.hear(index + 1);
  }

  expect(await textsOf(world)).toEqual([
    'message 1',
    'answer 1',
    'message 2',
    'answer 2',
    'message 3',
    'answer 3',
  ]);
  const rows = await world.rows();
  expect(
    rows.filter((row) => row.role === 'user').map((row) => row.sentAt.toISOString().slice(0, 10)),
  ).toEqual(['2199-01-01', '1999-01-01', '2026-06-01']);
  expect(world.model.violations).toEqual([]);
});
