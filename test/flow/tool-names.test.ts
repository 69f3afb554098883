import { expect, test } from 'vitest';
import { openTurnWorld } from '../support/turn-world.ts';

test('a call whose name no provider would take back is answered, and the conversation goes on', async () => {
  let requests = 0;
  await using world = await openTurnWorld({
    script: (request) => {
      requests += 1;
      if (requests === 1) return { toolCalls: [{ id: 'call_1', name: '', arguments: '{}' }] };
      return {
        text: `Noted: ${request.messages.at(-1)!.toolResults[0]?.text ?? request.messages.at(-1)!.text}`,
      };
    },
  });
  await world.say('Look it up.');

  const [first] = await world.hear(1);
  await world.say('And now?');
  const replies = await world.hear(2);

  expect(first).toContain('there is no tool "unnamed"');
  expect(replies[1]).toContain('And now?');
  expect(world.model.violations).toEqual([]);
});
