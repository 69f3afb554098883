import type { PromptMessage } from '@palimpsest/core';
import { estimateParts, type NewRow, type Part } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { addRef } from '../../../packages/engines/src/dcp/transform/add-refs.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { userRow, words } from '../../support/memory-transcript.ts';

function personRow(parts: readonly Part[]): NewRow {
  return { ...userRow(''), parts, tokens: estimateParts(parts) };
}

test("D14 every text of a person's message and every result of a step that came out well carries the unit's ref", async () => {
  const world = new DcpWorld();
  world.append(
    personRow([
      { type: 'header', text: '[2026-11-29 10:00]' },
      { type: 'text', text: 'first' },
      { type: 'text', text: 'second' },
    ]),
  );
  world.step(
    [
      { id: 'a', result: 'one' },
      { id: 'b', result: 'two' },
      { id: 'c', result: 'broken', isError: true },
    ],
    'I look.',
  );

  const lines = linesOf(await world.prompt());

  expect(lines).toEqual([
    'user: [2026-11-29 10:00] | first\n[m0001] | second\n[m0001]',
    'assistant: I look. | terminal({}) | terminal({}) | terminal({})',
    'tool: one\n[m0002]',
    'tool: two\n[m0002]',
    'tool: broken',
  ]);
});

test('a step without a good result carries its ref on its text, one without a text before its calls', async () => {
  const world = new DcpWorld();
  world.say('go');
  world.step([{ id: 'a', result: 'no', isError: true }], 'I try.');
  world.step([{ id: 'b', result: 'no', isError: true }]);
  world.answer('It does not work.');
  world.say('well');

  expect(linesOf(await world.prompt())).toEqual([
    'user: go\n[m0001]',
    'assistant: I try.\n[m0002] | terminal({})',
    'tool: no',
    'assistant: [m0003] | terminal({})',
    'tool: no',
    'assistant: It does not work.\n[m0004]',
    'user: well\n[m0005]',
  ]);
});

test('a ref that is there already is not added again', () => {
  const unit: readonly PromptMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }];

  const once = addRef(unit, '[m0001]');

  expect(addRef(once, '[m0001]')).toEqual(once);
  expect(once).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hello\n[m0001]' }] }]);
});

test('D17 a block carries its name in range mode and BLOCKED in message mode', async () => {
  const said = { topic: 'the parser', summary: 'It drops the last token.' };
  const shown = async (mode: 'range' | 'message'): Promise<string> => {
    const world = new DcpWorld({ config: { compress: { mode } } });
    world.say('look');
    world.step([{ id: 'a', result: words(3_000) }]);
    for (const id of ['b', 'c', 'd', 'e', 'f']) world.step([{ id, result: 'ok' }]);
    await world.prompt();
    const entry =
      mode === 'range' ? { startId: 'm0001', endId: 'm0002', ...said } : { messageId: 'm0002', ...said };
    world.say('go on');
    await world.prompt();
    await world.compress([entry]);
    return linesOf(await world.prompt()).find((line) => line.includes('drops the last'))!;
  };

  expect((await shown('range')).endsWith('\n[b1]')).toBe(true);
  expect((await shown('message')).endsWith('\n[BLOCKED]')).toBe(true);
});

test('message mode shows how much a message weighs; a finished compress call always weighs most', async () => {
  const world = new DcpWorld({ config: { compress: { mode: 'message' } } });
  world.say('look');
  world.step([{ id: 'a', result: words(6_000) }]);
  world.step([{ id: 'b', result: words(700) }]);
  for (const id of ['c', 'd', 'e', 'f']) world.step([{ id, result: 'ok' }]);
  world.say('go on');
  await world.prompt();
  await world.compress([{ messageId: 'm0003', topic: 'looked', summary: 'Nothing there.' }]);

  const lines = linesOf(await world.prompt());

  expect(lines[0]).toBe('user: look\n[m0001 low]');
  expect(lines[2]!.endsWith('\n[m0002 high]')).toBe(true);
  expect(lines.some((line) => line.includes('[m0009 high]') && line.startsWith('tool: {'))).toBe(true);
});

test('D32 beside an image the ref is a text of its own, and the image is as it was', async () => {
  const world = new DcpWorld();
  const image: Part = { type: 'payload', payloadId: 'p1', mime: 'image/png', bytes: 9, preview: 'a cat' };
  world.append(personRow([{ type: 'text', text: 'what is this?' }, image]));

  const [message] = await world.prompt();

  expect(message!.parts).toEqual([
    { type: 'text', text: 'what is this?' },
    image,
    { type: 'text', text: '[m0001]' },
  ]);
  expect(message!.parts[1]).toBe(image);
});

test('D31 denied: no tool, no text for the system prompt, no refs, no nudges', async () => {
  const world = new DcpWorld({
    config: { compress: { permission: 'deny', maxContextLimit: 10, minContextLimit: 5 } },
  });
  world.say(words(500));
  world.answer('yes');
  world.say('and?');

  expect(world.engine.getToolSchemas()).toEqual([]);
  expect(world.engine.systemText).toBe('');
  expect(linesOf(await world.prompt()).slice(1)).toEqual(['assistant: yes', 'user: and?']);
});

test('D31 switched off: the conversation goes out as it is stored', async () => {
  const world = new DcpWorld({ config: { enabled: false } });
  world.say('hello');
  world.step([{ id: 'a', result: 'ok' }]);

  const { messages, stateChange } = await world.request();

  expect(messages.map(({ parts }) => parts)).toEqual(world.transcript.rows.map(({ parts }) => parts));
  expect(stateChange).toBeUndefined();
  expect(world.engine.getToolSchemas()).toEqual([]);
});

test('D31 on: refs and system text are there, and stored rows are as they were', async () => {
  const world = new DcpWorld();
  world.say('hello');
  world.step([{ id: 'a', result: 'ok' }]);
  const before = structuredClone(world.transcript.rows);

  const lines = linesOf(await world.prompt());

  expect(lines[0]).toBe('user: hello\n[m0001]');
  expect(world.engine.systemText).toContain('compress replaces a range of messages by a summary');
  expect(world.transcript.rows).toEqual(before);
});

test('refs stay with their messages after messages were taken back, and none is given twice', async () => {
  const world = new DcpWorld();
  for (const text of ['one', 'two', 'three', 'four', 'five']) world.say(text);
  await world.prompt();

  world.transcript.all.splice(3, 2);
  world.rebuild();
  world.say('six');

  expect(linesOf(await world.prompt())).toEqual([
    'user: one\n[m0001]',
    'user: two\n[m0002]',
    'user: three\n[m0003]',
    'user: six\n[m0006]',
  ]);
});
