/** Many short messages: few tokens, many rows. */
import { expect, test } from 'vitest';
import { openTurnWorld } from '../support/turn-world.ts';

test.each([
  [
    'at the limit that the operator set a conversation is condensed, however few its tokens are',
    12,
    ['hygiene'],
  ],
  ['without a limit rows alone are no reason', null, []],
])('%s', async (_what, limit, layers) => {
  await using world = await openTurnWorld({
    script: () => ({ text: 'Noted.' }),
    window: 64_000,
    config: `compression: {hygiene_hard_message_limit: ${limit}}`,
  });
  const isAnswer = (text: string): boolean => text === 'Noted.';

  for (let line = 1; line <= 7; line++) {
    await world.say(`Line ${line} about the ferry to the island, which leaves at nine from the old pier.`);
    await world.hear(line, isAnswer);
  }

  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 9 });
  expect(ledger.map(({ layer }) => layer)).toEqual(layers);
  expect((await world.heard()).filter(isAnswer)).toHaveLength(7);
});
