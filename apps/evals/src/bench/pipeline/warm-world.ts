import { GatewayError, type IncomingUpdate } from '@palimpsest/core';
import { JourneyTimes } from './journey-times.ts';
import { openWorld, type QueuePlace } from './open-world.ts';
import { flood, warmUpMessages, type Intake } from './traffic.ts';

/** Without a new reply for this long the run has failed. */
const patienceMs = 60_000;

/** `openWorld`, with some messages behind it, so that nothing is done for the first time when the clock runs. */
export async function openWarmWorld(
  stack: AsyncDisposableStack,
  place: QueuePlace,
  signal: AbortSignal,
): Promise<Intake> {
  const times = new JourneyTimes();
  const intake = await openWorld(stack, place, times);
  await takeAll(intake, warmUpMessages(), signal);
  return intake;
}

/** All of these at once, until each has its reply. */
export async function takeAll(
  intake: Intake,
  updates: readonly IncomingUpdate[],
  signal: AbortSignal,
): Promise<void> {
  intake.times.begin(updates.length);
  await flood(updates, intake);
  await untilAllStored(intake.times, updates.length, signal);
}

/** Every message has its reply; throws `internal` when none came for a minute, or at the signal. */
export async function untilAllStored(
  times: JourneyTimes,
  expected: number,
  signal: AbortSignal,
): Promise<void> {
  for (let before = -1; times.answered < expected; before = times.answered) {
    const lost = times.answered === before || signal.aborted;
    if (lost)
      throw new GatewayError(
        'internal',
        `${expected - times.answered} of ${expected} messages have no reply`,
      );
    const patience = AbortSignal.any([AbortSignal.timeout(patienceMs), signal]);
    await Promise.race([
      times.allStored,
      new Promise((resolve) => patience.addEventListener('abort', resolve)),
    ]);
  }
}
