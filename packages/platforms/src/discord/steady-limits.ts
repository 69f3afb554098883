/** discord.js keeps limits by the wall clock: when it is set back by ten minutes, each of them would last ten minutes longer. */
import type { REST } from 'discord.js';

const smallestStepMs = 1_000;

/** How far the wall clock was from the one that only goes forward, at the last request. */
const distances = new WeakMap<REST, number>();

/** For every request: limits noted before the clock was set back are forgotten; Discord's answers tell those that hold. */
export function steadied(rest: REST): REST {
  const distance = Date.now() - performance.now();
  if (distance < (distances.get(rest) ?? distance) - smallestStepMs) forgetLimits(rest);
  distances.set(rest, distance);
  return rest;
}

function forgetLimits(rest: REST): void {
  rest.handlers.clear();
  rest.globalReset = -1;
  rest.globalDelay = null;
}
