/** The day's budgets where operators look at a session: on its page and on the command line. */
import { expect, test } from 'vitest';
import { parseConfig } from '@palimpsest/core';
import { ask } from '../support/dashboard.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const limits = 'model: {daily_budget: {person_turns: 20, person_dollars: 2, installation_dollars: 10}}';

test('the head of a session tells each budget and what of it is used', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Noted.' }), config: limits });
  await world.say('When does the ferry leave?');
  await world.hear(1);
  await using pages = await startWorldPages(world, { deps: { config: parseConfig(limits, 'test') } });

  const head = (await ask(`${pages.url}/api/sessions/${await world.sessionId()}`)).json();

  expect(head['budgets']).toEqual([
    '1 of 20 answers given today to the person',
    expect.stringMatching(/^(under )?\$0\.\d{3} of \$2\.00 used today by the person$/),
    expect.stringMatching(/^(under )?\$0\.\d{3} of \$10\.00 used today by everybody$/),
  ]);
});

test('without budgets it tells none', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'Noted.' }) });
  await world.say('When does the ferry leave?');
  await world.hear(1);
  await using pages = await startWorldPages(world);

  expect((await ask(`${pages.url}/api/sessions/${await world.sessionId()}`)).json()['budgets']).toEqual([]);
});
