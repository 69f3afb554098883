import type { DcpBlock, Logger } from '@palimpsest/core';
import { silentLogger } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { promptFault } from '../../../packages/engines/src/dcp/transform/validate-prompt.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';

test('D28 when the transform fails the conversation goes out as it is stored, and the fault is logged without its words', async () => {
  const logged: object[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => void logged.push(fields) };
  const world = new DcpWorld({ logger });
  world.say('a private question');
  world.step([{ id: 'a', result: 'ok' }]);
  const blocks = new Proxy([] as DcpBlock[], {
    get() {
      throw new TypeError('a private question is quoted in this fault');
    },
  });
  world.state = { ...world.state, blocks };
  world.rebuild();

  const { messages, stateChange } = await world.engine.assemble(world.transcript, world.budget);

  expect(messages.map(({ parts }) => parts)).toEqual(world.transcript.rows.map(({ parts }) => parts));
  expect(messages[0]!.parts).toBe(world.transcript.rows[0]!.parts);
  expect(stateChange).toBeUndefined();
  expect(logged).toEqual([{ sessionId: 's1', engine: 'dcp', code: 'internal', fault: 'TypeError' }]);
});

test('with debug on every request leaves a line of figures, without any words', async () => {
  const logged: object[] = [];
  const logger: Logger = { ...silentLogger, info: (fields) => void logged.push(fields) };
  const world = new DcpWorld({ logger, config: { debug: true } });
  world.say('a private question');

  await world.prompt();

  expect(logged).toEqual([
    {
      sessionId: 's1',
      version: 0,
      messages: 1,
      blocks: 0,
      marks: 0,
      tokens: expect.any(Number),
      nudge: null,
    },
  ]);
});

test('D29 a malformed message is left out and the rest goes on', async () => {
  const world = new DcpWorld();
  world.say('one');
  Object.assign(world.say('two'), { parts: null });
  Object.assign(world.say('three'), { parts: [null] });
  world.say('four');

  expect(linesOf(await world.prompt())).toEqual(['user: one\n[m0001]', 'user: four\n[m0004]']);
});

test('a call whose result was lost is answered for by a note, and never compressed', async () => {
  const world = new DcpWorld();
  world.say('go');
  world.step([{ id: 'lost', result: null }]);
  world.say('hello?');

  expect(linesOf(await world.prompt())).toEqual([
    'user: go\n[m0001]',
    'assistant: [m0002] | terminal({})',
    'tool: [The result of this tool call is not in the history any more]',
    'user: hello?\n[m0003]',
  ]);
});

test('what providers refuse is seen before it is sent', () => {
  const call = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'a', name: 't', arguments: '{}' }],
  } as const;
  const result = {
    role: 'tool',
    parts: [{ type: 'tool_result', callId: 'a', name: 't', text: 'ok', isError: false }],
  } as const;
  const user = { role: 'user', parts: [{ type: 'text', text: 'hi' }] } as const;

  expect(promptFault([user, call, result, user])).toBeNull();
  expect(promptFault([user, call, user])).toContain('between a call and its result');
  expect(promptFault([user, result])).toContain('whose call is not before it');
  expect(promptFault([user, call, result, result])).toContain('whose call is not before it');
  expect(promptFault([user, call])).toContain('has no result');
  expect(promptFault([user, { role: 'assistant', parts: [] }])).toContain('the last message');
});

test('a change is handed out once: the request after it brings nothing of it', async () => {
  const world = new DcpWorld();
  world.say('hello');
  const first = await world.engine.assemble(world.transcript, world.budget);
  const second = await world.engine.assemble(world.transcript, world.budget);

  expect(first.stateChange?.json).toEqual({ baseVersion: 0, refs: [{ unitId: 1, number: 1 }] });
  expect(second.stateChange).toBeUndefined();
  expect(second.messages).toEqual(first.messages);
});
