import { emptyDcpState, type DcpBlock, type DcpState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { blockText } from '../../../packages/engines/src/dcp/transform/block-text.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { syntheticRow, words } from '../../support/memory-transcript.ts';

async function parserWorld(): Promise<DcpWorld> {
  const world = new DcpWorld();
  world.say('look into the parser');
  world.step([{ id: 'a', name: 'read', args: '{"path":"parser.ts"}', result: words(2_000) }]);
  world.answer('The parser drops the last token.');
  world.say('now the printer');
  for (const id of ['b', 'c', 'd', 'e']) world.step([{ id, result: 'ok' }]);
  await world.prompt();
  return world;
}

const parser = { startId: 'm0001', endId: 'm0003', summary: 'The parser drops the last token.' };

test('a compressed range gives way to one message in its place, from the next request on', async () => {
  const world = await parserWorld();

  const result = await world.range(parser);
  const prompt = await world.prompt();

  expect(result).toMatchObject({ ok: true });
  expect(linesOf(prompt).slice(0, 2)).toEqual([
    'user: [Record of earlier messages, condensed: earlier work]\nThe parser drops the last token.\n[b1]',
    'user: now the printer\n[m0004]',
  ]);
  expect(linesOf(prompt).join('\n')).not.toContain('river stone');
});

test('the arguments of the call that made a block are stubbed in the same step', async () => {
  const world = await parserWorld();
  await world.range(parser);

  const call = linesOf(await world.prompt()).find((line) => line.includes('compress('));

  expect(call).toBe(
    'assistant: compress({"topic":"earlier work","content":"stored; each call needs summaries of its own"})',
  );
});

test('the arguments of a call that failed stay as the model wrote them', async () => {
  const world = await parserWorld();
  await world.range({ ...parser, endId: 'm0099' });

  expect(linesOf(await world.prompt()).join('\n')).toContain(
    'compress({"topic":"earlier work","content":[{"startId":"m0001","endId":"m0099"',
  );
});

test('what is old reads the same from request to request while nothing is compressed', async () => {
  const world = await parserWorld();
  await world.range(parser);
  const first = await world.prompt();
  world.answer('done');
  world.say('and the lexer?');

  const next = await world.prompt();

  expect(next.slice(0, first.length)).toEqual(first);
  expect(next).toHaveLength(first.length + 2);
});

test('a compression changes nothing before its place', async () => {
  const world = await parserWorld();
  const before = await world.prompt();
  await world.range({ startId: 'm0002', endId: 'm0003', summary: 'It drops the last token.' });

  const after = await world.prompt();

  expect(after[0]).toEqual(before[0]);
  expect(linesOf(after)[1]).toContain('It drops the last token.');
});

test('notes of the service between two hidden messages are hidden with them', async () => {
  const world = new DcpWorld();
  world.say('go');
  world.step([{ id: 'a', result: words(2_000) }]);
  world.append(syntheticRow('[continue]'));
  world.step([{ id: 'b', result: words(2_000) }]);
  world.append(syntheticRow('[continue later]'));
  world.say('next');
  for (const id of ['c', 'd', 'e', 'f']) world.step([{ id, result: 'ok' }]);
  await world.prompt();
  await world.range({ startId: 'm0001', endId: 'm0003', summary: 'Two reads.' });

  const lines = linesOf(await world.prompt());

  expect(lines.slice(0, 2)).toEqual([
    'user: [Record of earlier messages, condensed: earlier work]\nTwo reads.\n[b1]',
    'user: [continue later]',
  ]);
});

test('a block over an earlier one shows its text where the summary refers to it', async () => {
  const world = await parserWorld();
  await world.range(parser);
  world.say('write it up');
  for (const id of ['g', 'h', 'i', 'j']) world.step([{ id, args: `{"n":"${id}"}`, result: words(400) }]);
  world.say('next');
  for (const id of ['k', 'l', 'm', 'n']) world.step([{ id, args: `{"n":"${id}"}`, result: 'ok' }]);
  await world.prompt();

  const result = await world.compress(
    [{ startId: 'b1', endId: 'm0014', summary: 'First (b1) and then it was written up.' }],
    'the write-up',
  );

  expect(result).toMatchObject({ ok: true });
  expect(linesOf(await world.prompt())[0]).toBe(
    'user: [Record of earlier messages, condensed: the write-up]\nFirst The parser drops the last token. and then it was written up.\n[b2]',
  );
});

test('undoing the call of a block brings back what it hid, and the blocks that it had taken in', async () => {
  const world = await parserWorld();
  const raw = await world.prompt();
  await world.range(parser);
  const rows = world.transcript.all.length;
  world.say('next');
  for (const id of ['k', 'l', 'm', 'n']) world.step([{ id, result: words(300) }]);
  world.say('again');
  for (const id of ['o', 'p', 'q', 'r']) world.step([{ id, result: 'ok' }]);
  await world.prompt();
  await world.range({ startId: 'b1', endId: 'm0014', summary: 'All of it.' });

  world.transcript.all.splice(rows);
  world.rebuild();
  const once = linesOf(await world.prompt())[0];
  world.transcript.all.splice(rows - 2);
  world.rebuild();

  expect(once).toContain('The parser drops the last token.\n[b1]');
  expect(await world.prompt()).toEqual(raw);
});

function block(number: number, changes: Partial<DcpBlock>): DcpBlock {
  return {
    number,
    run: number,
    author: 'model',
    mode: 'range',
    topic: `topic ${number}`,
    batchTopic: null,
    body: `body ${number}`,
    refBlocks: [],
    startRef: 'm0001',
    endRef: 'm0002',
    anchorUnit: 1,
    unitIds: [],
    consumed: [],
    origin: null,
    status: 'on',
    rawTokens: 100,
    summaryTokens: 10,
    durationMs: 0,
    ...changes,
  };
}

function textOf(number: number, blocks: readonly DcpBlock[]): string {
  const byNumber = new Map(blocks.map((one) => [one.number, one]));
  return blockText(byNumber.get(number)!, byNumber, 'named');
}

test('blocks inside blocks are written out at every depth; one that is referred to twice comes once', () => {
  const blocks = [
    block(1, { body: 'the first\n[m0007]' }),
    block(2, { body: 'second with (b1)', refBlocks: [1] }),
    block(3, { body: '(b2), and once more (b1); (b9) is only text', refBlocks: [2, 1] }),
  ];

  expect(textOf(3, blocks)).toBe(
    '[Record of earlier messages, condensed: topic 3]\nsecond with the first, and once more (see above: topic 1); (b9) is only text\n[b3]',
  );
});

test('a reference in a heading of its own becomes a heading with its topic', () => {
  const blocks = [block(1, { body: 'the first' }), block(2, { body: 'second\n\n### (b1)', refBlocks: [1] })];

  expect(textOf(2, blocks)).toContain('second\n\n### topic 1\nthe first\n[b2]');
});

test('a text that is gone is named as missing, and a reference to a younger block is never followed', () => {
  const blocks = [
    block(1, { body: '' }),
    block(2, { body: '(b1) (b3)', refBlocks: [1, 3] }),
    block(3, { body: 'third (b2)', refBlocks: [2] }),
  ];

  expect(textOf(2, blocks)).toContain(
    '(this part is no longer available) (this part is no longer available)',
  );
});

test('a session of 6,000 live rows reads the texts of those rows only that no block hides', async () => {
  const world = new DcpWorld();
  for (let index = 0; index < 3_000; index++) {
    world.say(`question ${index}`);
    world.answer(`answer ${index}`);
  }
  const ids = world.transcript.rows.map((row) => row.id);
  const state: DcpState = {
    ...emptyDcpState(),
    version: 1,
    nextRef: 6_001,
    nextBlock: 2,
    refs: new Map(ids.map((id, index) => [id, index + 1])),
    blocks: [block(1, { unitIds: ids.slice(0, 5_980), anchorUnit: ids[0]! })],
  };
  world.state = state;
  world.rebuild();
  const asked: number[] = [];
  const { transcript } = world;
  const view = {
    session: transcript.session,
    rows: transcript.rows,
    bodies: (wanted: readonly number[]) => {
      asked.push(...wanted);
      return transcript.bodies(wanted);
    },
  };

  const { messages, stateChange } = await world.engine.assemble(view, world.budget);

  expect(asked).toEqual(ids.slice(5_980));
  expect(messages).toHaveLength(21);
  expect(stateChange).toBeUndefined();
});
