/** /undo where the model itself compressed: its block goes with the call, and what it hid is read again. */
import type { ScriptRequest } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { openTurnWorld } from '../support/turn-world.ts';

const config = `
context:
  engine: dcp
  dcp: { preserveRecentMessages: 1, preserveRecentTokens: 1, minNetTokens: 1 }
`;
const summary = 'Two old questions about the harbour were answered.';

function answer(request: ScriptRequest) {
  const newest = request.messages.findLast((message) => message.role === 'user' && message.text !== '');
  if ((request.messages.at(-1)?.toolResults ?? []).length > 0) return { text: 'compressed' };
  if (newest?.text.includes('compress please')) {
    const content = [{ startId: 'm0001', endId: 'm0004', summary }];
    return { toolCalls: [{ name: 'compress', arguments: { topic: 'the harbour', content } }] };
  }
  return { text: `The harbour: ${'ships and cranes '.repeat(120)}` };
}

test('/undo of the exchange in which the model compressed shows again what the block hid', async () => {
  await using world = await openTurnWorld({ script: answer, config });
  let count = 0;
  const say = async (text: string, isHeard: (said: string) => boolean) => {
    await world.say(text);
    count += 1;
    await world.hear(count, isHeard);
  };
  const counts = (said: string) => /^(The harbour|compressed)/.test(said);
  for (const text of [
    'first question',
    'second question',
    'third question',
    'compress please',
    'fourth question',
  ])
    await say(text, counts);
  const compressed = JSON.stringify(world.model.requests.at(-1)?.body);

  await world.say('/undo 2');
  await world.hear(1, (said) => said.includes('Taken back: the last 2 exchanges'));
  await say('fifth question', counts);

  const [block] = await world.store.dcp.blocks(await world.sessionId());
  const prompt = JSON.stringify(world.model.requests.at(-1)?.body);
  expect(compressed).toContain(summary);
  expect(compressed).not.toContain('first question');
  expect(block).toMatchObject({ activity: 'orphaned' });
  expect(prompt).not.toContain(summary);
  for (const text of ['first question', 'second question', 'third question', 'fifth question'])
    expect(prompt).toContain(text);
  expect(prompt).not.toContain('fourth question');
  expect(world.model.violations).toEqual([]);
});
