import { emptyDcpState, type DcpState, type MessageRow } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { computeMarks } from '../../../packages/engines/src/dcp/strategies/compute-marks.ts';
import type { UnitTexts } from '../../../packages/engines/src/dcp/strategies/list-calls.ts';
import { matchesName, isProtectedCall } from '../../../packages/engines/src/dcp/strategies/protected-call.ts';
import { signatureOf } from '../../../packages/engines/src/dcp/strategies/signature.ts';
import { DcpWorld, dcpConfig, linesOf, type DcpChanges, type ToolUse } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

/** Five turns of the person: what stands in the first one is no longer recent. */
function worldWith(uses: readonly ToolUse[], turnsAfter = 4): DcpWorld {
  const world = new DcpWorld();
  world.say('begin');
  for (const use of uses) world.step([use]);
  for (let turn = 0; turn < turnsAfter; turn++) {
    world.answer('done');
    world.say('next');
  }
  return world;
}

function unitsOf(world: DcpWorld): readonly UnitTexts[] {
  const units: { id: number; rows: MessageRow[] }[] = [];
  for (const row of world.transcript.rows) {
    if (row.role === 'tool') units.at(-1)!.rows.push(row);
    else units.push({ id: row.id, rows: [row] });
  }
  return units;
}

function marksOf(world: DcpWorld, config: DcpChanges = {}, state: DcpState = emptyDcpState()) {
  return computeMarks(state, unitsOf(world), dcpConfig(config).context.dcp).map(
    ({ callId, reason }) => `${callId} ${reason}`,
  );
}

const read = (id: string, path = 'a.ts'): ToolUse => ({
  id,
  name: 'read',
  args: JSON.stringify({ path }),
  result: words(80),
});

test('D25 of equal calls the older ones lose their output, the newest keeps it, and the parts are still there', async () => {
  const world = worldWith([read('one'), read('two'), read('other', 'b.ts')]);
  await world.prompt();

  const marks = computeMarks(world.state, unitsOf(world), dcpConfig().context.dcp);
  world.change({ baseVersion: world.state.version, marks });
  world.rebuild();
  const lines = linesOf(await world.prompt());

  expect(marks.map(({ callId, reason }) => `${callId} ${reason}`)).toEqual(['one duplicate']);
  expect(lines.slice(1, 5)).toEqual([
    'assistant: read({"path":"a.ts"})',
    'tool: [output left out: the same call was made again later]\n[m0002]',
    'assistant: read({"path":"a.ts"})',
    `tool: ${words(80)}\n[m0003]`,
  ]);
});

test('marks are set once: a state that has them gives no new ones', () => {
  const world = worldWith([read('one'), read('two')]);
  const marks = computeMarks(emptyDcpState(), unitsOf(world), dcpConfig().context.dcp);

  expect(marksOf(world, {}, { ...emptyDcpState(), marks })).toEqual([]);
});

test('D33 a repeat in a recent turn of the person keeps its output, unless the protection is off', () => {
  const recent = worldWith([read('one'), read('two')], 3);

  expect(marksOf(recent)).toEqual([]);
  expect(marksOf(recent, { turnProtection: { enabled: false } })).toEqual(['one duplicate']);
});

test('D33 manual mode with strategies off marks nothing; with them on it marks as ever', () => {
  const world = worldWith([read('one'), read('two')]);
  const manual = { ...emptyDcpState(), manualMode: true };

  expect(marksOf(world, { manualMode: { automaticStrategies: false } }, manual)).toEqual([]);
  expect(marksOf(world, {}, manual)).toEqual(['one duplicate']);
});

test('the inputs of an old failed call go, its error stays', async () => {
  const args = JSON.stringify({ query: words(200), options: { deep: words(30) }, limit: 5, kind: 'x' });
  const world = worldWith([{ id: 'bad', name: 'ask', args, result: 'no such table', isError: true }]);
  await world.prompt();

  const marks = computeMarks(world.state, unitsOf(world), dcpConfig().context.dcp);
  world.change({ baseVersion: world.state.version, marks });
  world.rebuild();
  const lines = linesOf(await world.prompt());

  expect(marks.map(({ callId, reason }) => `${callId} ${reason}`)).toEqual(['bad error_input']);
  expect(lines[1]).toBe(
    `assistant: [m0002] | ask({"query":"[left out: the input of a failed call]","options":{"deep":"${words(30)}"},"limit":5,"kind":"x"})`,
  );
  expect(lines[2]).toBe('tool: no such table');
});

test('a repeated question keeps its answer and loses its words', async () => {
  const question = (id: string): ToolUse => ({
    id,
    name: 'question',
    args: JSON.stringify({ text: words(120) }),
    result: `blue, since ${words(60)}`,
  });
  const world = worldWith([question('one'), question('two')]);
  await world.prompt();

  const marks = computeMarks(world.state, unitsOf(world), dcpConfig().context.dcp);
  world.change({ baseVersion: world.state.version, marks });
  world.rebuild();
  const lines = linesOf(await world.prompt());

  expect(marks).toHaveLength(1);
  expect(lines[1]).toBe('assistant: question({"text":"[left out: see the answer]"})');
  expect(lines[2]).toBe(`tool: blue, since ${words(60)}\n[m0002]`);
});

test('a failed call is old after as many steps of the model as the config says', () => {
  const bad: ToolUse = {
    id: 'bad',
    args: JSON.stringify({ text: words(200) }),
    result: 'no',
    isError: true,
  };
  const config = {
    turnProtection: { enabled: false },
    strategies: { purgeErrors: { enabled: true, turns: 3, protectedTools: [] } },
  };
  const after = (steps: number): DcpWorld =>
    worldWith([bad, ...Array.from({ length: steps }, (_, index) => read(`r${index}`, `${index}.ts`))], 0);

  expect(marksOf(after(2), config as DcpChanges)).toEqual([]);
  expect(marksOf(after(3), config as DcpChanges)).toEqual(['bad error_input']);
});

test('a failed repeat does not take the place of an output that came well', () => {
  const world = worldWith([read('one'), { ...read('two'), result: 'gone', isError: true }]);

  expect(marksOf(world)).toEqual([]);
});

test('protected tools and files, compress itself and short outputs are left alone', () => {
  const twice = (use: ToolUse): DcpWorld => worldWith([use, { ...use, id: 'again' }]);

  expect(marksOf(twice({ id: 'w', name: 'write', args: '{}', result: words(80) }))).toEqual([]);
  expect(marksOf(twice({ id: 'c', name: 'compress', args: '{}', result: words(80) }))).toEqual([]);
  expect(marksOf(twice({ id: 's', name: 'read', args: '{}', result: 'ok' }))).toEqual([]);
  expect(marksOf(twice(read('f', 'docs/a.md')), { protectedFilePatterns: ['docs/**'] })).toEqual([]);
  expect(
    marksOf(twice(read('f')), {
      strategies: { deduplication: { enabled: true, protectedTools: ['re*'] } },
    }),
  ).toEqual([]);
});

test('a call is known again by its tool and parameters, whatever their order; nulls at the top do not count', () => {
  const one = signatureOf('find', '{"b": {"y": 1, "x": [2, 1]}, "a": "q", "c": null}');

  expect(signatureOf('find', '{"a":"q","b":{"x":[2,1],"y":1}}')).toBe(one);
  expect(signatureOf('find', '{"a":"q","b":{"x":[1,2],"y":1}}')).not.toBe(one);
  expect(signatureOf('other', '{"a":"q","b":{"x":[2,1],"y":1}}')).not.toBe(one);
  expect(signatureOf('find', 'not json')).toBe('find not json');
  // Deeper than the stack.
  const deep = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  expect(signatureOf('find', deep)).toBe(`find ${deep}`);
});

test.each([
  ['src/**/*.ts', { path: 'src/a/b/c.ts' }, true],
  ['src/**/*.ts', { path: 'src/c.ts' }, true],
  ['src/*.ts', { path: 'src/a/c.ts' }, false],
  ['*.env', { filePath: '.env' }, true],
  ['secret?.txt', { edits: [{ filePath: 'x' }, { filePath: 'secret1.txt' }] }, true],
  ['a.ts', { patchText: '*** Begin Patch\n*** Update File: a.ts\n@@' }, true],
  ['a.ts', { query: 'a.ts' }, false],
] as const)('the pattern %s on %j: %s', (pattern, input, isProtected) => {
  const call = { name: 'tool', arguments: JSON.stringify(input) };

  expect(isProtectedCall(call, { tools: [], files: [pattern] })).toBe(isProtected);
});

test('tool names are matched by * and ?', () => {
  expect(matchesName('mcp_files_read', ['mcp_*'])).toBe(true);
  expect(matchesName('read', ['rea?'])).toBe(true);
  expect(matchesName('read.file', ['read?file'])).toBe(true);
  expect(matchesName('bread', ['read'])).toBe(false);
});
