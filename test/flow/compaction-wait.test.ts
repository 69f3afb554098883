/** What a person hears while their message waits for a summary. */
import { expect, test } from 'vitest';
import { answering, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const oneMoment =
  'ℹ️ One moment: I am condensing the older part of our conversation before I answer. Nothing is lost.';
const condensed =
  'ℹ️ I condensed the older part of our conversation before answering. Nothing is lost: I can still look everything up.';
/** The first room is made before the agent, or by the agent at its trigger. */
const before = 'threshold: 0.99, small_context_floor: null, background: false';
const inline = 'background: false';

test.each([
  ['before the agent, a long wait is told while it lasts', before, 4_500, [oneMoment, condensed]],
  ['before the agent, a short wait afterwards', before, 0, [condensed]],
  ['at the trigger, a long wait is told while it lasts', inline, 4_500, [oneMoment]],
  ['at the trigger, a short wait is none', inline, 0, []],
  ['without notices nothing is told', `${inline}, notices: false`, 4_500, []],
])('%s', async (_what, keys, delayMs, told) => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 8_000,
    config: `compression: {${keys}}`,
    summariser: () => ({ text: '## Goal\nTake the ferry to the island', delayMs }),
  });

  for (let line = 0; line < 14 && world.summariser.requests.length === 0; line++) await talk(world, 1);

  const heard = await world.heard();
  expect(world.summariser.requests).toHaveLength(1);
  expect(heard.filter((text) => !isAnswer(text))).toEqual(told);
  // The answer that was waited for is the last thing said.
  expect(heard.at(-1)).toSatisfy(isAnswer);
});
