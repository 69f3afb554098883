import { expect, test } from 'vitest';
import { DcpWorld } from '../../support/dcp-world.ts';

function textsOf(messages: readonly { parts: readonly { type: string; text?: string }[] }[]): string[] {
  return messages.map(({ parts }) => parts.map((part) => part.text ?? '').join(' '));
}

test('D2 the first prompt of a sub-agent is not numbered, what follows is m0001', async () => {
  const world = new DcpWorld({ isSubAgent: true, config: { experimental: { allowSubAgents: true } } });
  const task = world.say('Find the leak.');
  const first = world.answer('I look into the pool.');
  const second = world.say('And the cache?');

  const texts = textsOf(await world.prompt());

  expect([task, first, second].map(({ id }) => world.state.refs.get(id))).toEqual([undefined, 1, 2]);
  expect(texts[0]).toBe('Find the leak.');
  expect(texts[1]).toContain('m0001');
});

test('a sub-agent that may not compress has neither the tool nor numbers', async () => {
  const world = new DcpWorld({ isSubAgent: true });
  world.say('Find the leak.');
  world.answer('I look into the pool.');

  expect(world.engine.getToolSchemas()).toEqual([]);
  expect(textsOf(await world.prompt())).toEqual(['Find the leak.', 'I look into the pool.']);
});
