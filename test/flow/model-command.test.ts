import { expect, test } from 'vitest';

import { openTurnWorld } from '../support/turn-world.ts';

const choices = 'model:\n  choices: [claude-opus-5, claude-haiku-4-5]\n  ask_provider: false\n';

test('/model NAME answers this session with that model from the next message on, and says what it costs', async () => {
  await using world = await openTurnWorld({
    script: ({ model }) => ({ text: `answered by ${model}` }),
    config: choices,
  });

  await world.say('hello');
  await world.hear(1);
  await world.say('/model claude-opus-5');
  const [, said] = await world.hear(2);
  await world.say('and now?');
  const [, , answer] = await world.hear(3);
  await world.say('/model default');
  await world.hear(4);
  await world.say('and again?');
  const replies = await world.hear(5);

  expect(said).toMatch(
    /From the next message on anthropic\/claude-opus-5 answers here: 1,000,000 tokens, \$5 a million tokens read and \$25 written\. \/model default goes back\.\nIts first answer reads the whole conversation anew at full price: about \d[\d,]* tokens, (\$0\.0\d\d|under \$0\.001)\. Going back costs that again\.$/,
  );
  expect(answer).toBe('answered by claude-opus-5');
  expect(replies.at(-1)).toBe('answered by claude-sonnet-5');
  expect(world.model.violations).toEqual([]);
});

test('/model shows what there is, and refuses what is not', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'ok' }), config: choices });

  await world.say('/model');
  await world.say('/model gpt-5.5');
  await world.say('/model claude-sonnet-5');
  const [list, refused, same] = await world.hear(3);

  expect(list).toContain('anthropic/claude-sonnet-5: 128,000 tokens');
  expect(list).toContain('(default, answers here)');
  expect(list).toContain('anthropic/claude-haiku-4-5: 200,000 tokens');
  expect(refused).toContain('The operator allows: claude-opus-5, claude-haiku-4-5. Nothing is changed');
  expect(same).toContain('anthropic/claude-sonnet-5 answers here already.');
});

test('window and threshold of the new model hold at once', async () => {
  await using world = await openTurnWorld({ script: () => ({ text: 'ok' }), config: choices });

  await world.say('/model claude-haiku-4-5');
  await world.hear(1);
  await world.say('/status');
  const [, status] = await world.hear(2);

  expect(status).toContain('of 200,000 tokens');
  expect(status).toContain('Model: anthropic/claude-haiku-4-5.');
});
