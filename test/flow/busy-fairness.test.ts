/** One person with many conversations takes no turn from anybody else, and loses none. */
import type { ScriptRequest } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { openTurnWorld, pause } from '../support/turn-world.ts';

test.each([
  ['of one person so many turns run at once as one may have', 'max_turns_per_person: 2'],
  ['of all people so many turns run at once as a worker may have', 'concurrency: 2'],
])('%s; the others follow without the sweeper', async (_, keys) => {
  const prompts: ScriptRequest[] = [];
  let atOnce = 0;
  let most = 0;
  await using world = await openTurnWorld({
    config: `worker: {${keys}}`,
    script: async (request) => {
      prompts.push(request);
      most = Math.max(most, ++atOnce);
      // Long enough for every other session to be refused in the meantime.
      while (prompts.length < 2) await pause();
      for (let ticks = 0; ticks < 10; ticks++) await pause();
      atOnce--;
      return { text: 'answered' };
    },
  });
  const places = ['a', 'b', 'c', 'd'];
  await Promise.all(places.map((place) => world.say(`hello from ${place}`, undefined, place)));

  const heard: string[][] = [];
  for (const place of places) {
    let replies: string[] = [];
    while ((replies = await world.heard(place)).length === 0) await pause();
    heard.push(replies);
  }

  expect(heard).toEqual(places.map(() => ['answered']));
  expect(most).toBe(2);
  expect(prompts).toHaveLength(4);
});
