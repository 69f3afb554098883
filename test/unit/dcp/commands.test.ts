import { expect, test } from 'vitest';
import { DcpWorld, linesOf, type DcpChanges } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

/** Two finished topics of two messages each and the tail. */
async function twoTopics(config: DcpChanges = {}): Promise<DcpWorld> {
  const world = new DcpWorld({ config });
  world.say('look into the parser');
  world.step([{ id: 'a', args: '{"n":1}', result: words(2_000) }]);
  world.say('and the printer');
  world.step([{ id: 'b', args: '{"n":2}', result: words(1_000) }]);
  world.say('now the rest');
  for (const id of ['c', 'd', 'e', 'f']) world.step([{ id, args: `{"n":"${id}"}`, result: words(60) }]);
  await world.prompt();
  return world;
}

const parser = { startId: 'm0001', endId: 'm0002', summary: 'The parser is fine.' };
const printer = { startId: 'm0003', endId: 'm0004', summary: 'The printer is not.' };

test('help lists the parts and says whether the model condenses by itself', async () => {
  const world = await twoTopics();

  const text = await world.command('');

  expect(text).toContain('/dcp sweep [n]');
  expect(text).toContain('/dcp compress [topic]');
  expect(text).toContain('It condenses finished parts by itself.');
  expect(await world.command('nonsense')).toBe(text);
  await world.command('manual on');
  expect(await world.command('help')).toContain('It condenses only when you ask for it.');
});

test('denied, help says so and offers neither compress nor manual', async () => {
  const world = await twoTopics({ compress: { permission: 'deny' } });

  const text = await world.command('help');

  expect(text).not.toMatch(/\/dcp (compress|manual)/);
  expect(await world.command('compress')).toBe(text);
  expect(world.state.grant).toBeNull();
});

test('switched off there is no command', () => {
  expect(new DcpWorld({ config: { commands: { enabled: false } } }).engine.commands()).toEqual([]);
  expect(new DcpWorld({ config: { enabled: false } }).engine.commands()).toEqual([]);
});

test('manual is kept with the session and tells what is set', async () => {
  const world = await twoTopics();

  expect(await world.command('manual')).toContain('Manual mode is off');
  expect(await world.command('manual on')).toContain('Manual mode is on');
  expect(world.state.manualMode).toBe(true);
  await world.command('manual off');
  expect(world.state.manualMode).toBe(false);
});

test('manual mode from the config holds for a new session until the person changes it', async () => {
  const world = new DcpWorld({ config: { manualMode: { enabled: true } } });
  world.say('hello');
  await world.prompt();

  expect(world.state.manualMode).toBe(true);
  await world.command('manual off');
  expect(world.state.manualMode).toBe(false);
});

test('sweep clears the outputs since the last message of the person and says what it left alone', async () => {
  const world = await twoTopics();
  world.step([
    { id: 'g', name: 'todowrite', result: words(90) },
    { id: 'h', result: 'ok' },
  ]);

  const text = await world.command('sweep');
  const again = await world.command('sweep');

  expect(text).toMatch(
    /^Cleared: 4 tool outputs, about \d+ tokens\. Left alone: 1 protected, 1 too small to matter\.$/,
  );
  expect(again).toBe(
    'There is no tool output to clear. Left alone: 4 cleared before, 1 protected, 1 too small to matter.',
  );
  expect(linesOf(await world.prompt()).filter((line) => line.includes('had it cleared away'))).toHaveLength(
    4,
  );
});

test('sweep n clears the last n calls', async () => {
  const world = await twoTopics();

  expect(await world.command('sweep 5')).toContain('Cleared: 5 tool outputs');
  expect(world.state.marks.map((mark) => mark.callId)).toEqual(['b', 'c', 'd', 'e', 'f']);
  expect(await world.command('sweep all')).toBe('Say how many calls, as in /dcp sweep 5.');
});

test('decompress shows a block in full again, recompress puts it back', async () => {
  const world = await twoTopics();
  const raw = await world.prompt();
  await world.range(parser, printer);
  const condensed = await world.prompt();

  const listed = await world.command('decompress');
  const text = await world.command('decompress b1');
  const open = await world.prompt();
  const back = await world.command('recompress 1');

  expect(listed.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^b1 — earlier work \(m0001 to m0002, about 2,\d{3} tokens\)$/),
    expect.stringMatching(/^b2 — earlier work \(m0003 to m0004, about 1,\d{3} tokens\)$/),
  ]);
  expect(text).toMatch(
    /^In full again: b1, about 2,\d{3} tokens more\. \/dcp recompress 1 takes that back\.$/,
  );
  expect(open.slice(0, 3)).toEqual(raw.slice(0, 3));
  expect(linesOf(open)[3]).toContain('The printer is not.');
  expect(back).toBe('Condensed again: b1.');
  expect(await world.prompt()).toEqual(condensed);
});

test('a block inside a larger one waits for that one; opening the larger one brings it back', async () => {
  const world = await twoTopics();
  await world.range(parser);
  await world.compress([{ startId: 'b1', endId: 'm0004', summary: '(b1) The printer is not.' }]);

  expect(await world.command('decompress b1')).toBe('b1 is part of a larger block; decompress b2 first.');
  await world.command('decompress b2');
  expect(linesOf(await world.prompt())[0]).toContain('The parser is fine.\n[b1]');
  expect(await world.command('decompress b2')).toBe('b2 is already shown in full.');
  expect(await world.command('decompress b1')).toContain('In full again: b1,');
});

test('only what a person had shown in full can be condensed again, and only while it is free', async () => {
  const world = await twoTopics();
  await world.range(parser);

  expect(await world.command('recompress')).toBe('No block was shown in full by /dcp decompress.');
  expect(await world.command('recompress b1')).toContain('"b1" is none');
  expect(await world.command('decompress b7')).toContain('There is no block "b7".');
  await world.command('decompress 1');
  await world.range({ startId: 'm0001', endId: 'm0004', summary: 'Both are looked into.' });
  expect(await world.command('recompress 1')).toBe(
    'b1 cannot be condensed again: its messages changed, or a newer block stands for them.',
  );
});

test('what would fill the window again is not shown in full, and the answer names the figure', async () => {
  const world = new DcpWorld({ windowTokens: 8_000, config: { preserveRecentMessages: 2 } });
  world.say('look');
  world.step([{ id: 'a', result: words(4_000) }]);
  world.say('more');
  world.step([{ id: 'b', args: '{"n":2}', result: words(10) }]);
  await world.prompt();
  await world.range({ startId: 'm0001', endId: 'm0002', summary: 'Nothing.' });
  world.step([{ id: 'c', args: '{"n":3}', result: words(3_500) }]);
  const before = world.state;

  expect(await world.command('decompress b1')).toMatch(
    /^b1 in full would make about \d,\d{3} of 8,000 tokens, which is too much; nothing is changed\.$/,
  );
  expect(world.state).toEqual(before);
});

test('message mode: blocks of one call come and go together', async () => {
  const world = await twoTopics({ compress: { mode: 'message' } });
  await world.compress([
    { messageId: 'm0002', topic: 'parser', summary: 'The parser is fine.' },
    { messageId: 'm0004', topic: 'printer', summary: 'The printer is not.' },
  ]);

  expect(await world.command('decompress b2')).toContain('In full again: b1, b2,');
  expect(await world.command('recompress b1')).toBe('Condensed again: b1, b2.');
});

test('stats and context tell figures and no text of the conversation', async () => {
  const world = await twoTopics();
  await world.range(parser);

  const stats = await world.command('stats');
  const context = await world.command('context');

  expect(stats).toContain('Condensed now: 2 messages in 1 of 1 block.');
  expect(stats).toContain('calls of compress: 1 (0 refused)');
  expect(context).toMatch(/^Condensed parts: \d+ in 1 block$/m);
  expect(stats + context).not.toMatch(/parser|printer|river/);
});

test('status says how the model is guided and what is saved', async () => {
  const world = await twoTopics();
  await world.range(parser);

  const { lines, triggerTokens, prepareTokens } = world.engine.getStatus(world.budget);

  expect([prepareTokens, triggerTokens >= 100_000]).toEqual([50_000, true]);
  expect(lines[1]).toMatch(/^In the place of earlier parts: 1 block; about 2,\d{3} tokens are saved\.$/);
});
