/** How long a message waits until its turn begins: the figure that shows wake-ups which come late or not at all. */
import { expect, test } from 'vitest';
import { recordingMeter } from '../support/recording-meter.ts';
import { openTurnWorld } from '../support/turn-world.ts';

test('the wait from a message to its turn is measured, also where wake-ups are lost and the sweeper repeats them', async () => {
  const { meter, counted, observed } = recordingMeter();
  await using world = await openTurnWorld({ script: () => ({ text: 'Yes.' }), meter });
  await world.say('one');
  await world.hear(1);
  const wake = world.queue.wake.bind(world.queue);
  // That of the message, and the sweeper's first one; its next round is a second later.
  let lost = 2;
  world.queue.wake = async (...woken) => {
    if (lost-- <= 0) await wake(...woken);
  };

  await world.say('two');
  await world.hear(2);

  const [quick, slow, ...more] = observed('gateway_wake_latency_seconds');
  expect(more).toEqual([]);
  expect(quick).toBeLessThan(slow!);
  expect(slow).toBeGreaterThan(0.95);
  const repeated = counted('gateway_sweeper_rewakes_total').filter(({ cause }) => cause === 'mailbox');
  expect(repeated).toHaveLength(2);
});
