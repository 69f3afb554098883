import { expect, test } from 'vitest';
import { groupUnits } from '../../../packages/engines/src/dcp/refs/group-units.ts';
import { renderGround, renderUnit } from '../../../packages/engines/src/dcp/transform/render-unit.ts';
import { CompressWorld, dcpConfig, talk, type CompressAnswer } from '../../support/compress-world.ts';

const single = (messageId: string, summary = 'What it said.') => ({ messageId, topic: 'an answer', summary });

function messageWorld(compress: object = {}): CompressWorld {
  return talk(new CompressWorld(dcpConfig({}, { mode: 'message', ...compress })), 4);
}

const compress = (world: CompressWorld, ...content: object[]): Promise<CompressAnswer> =>
  world.compress({ topic: 'the batch', content });

test('single messages become blocks of one run, each with its own topic', async () => {
  const world = messageWorld();

  const answer = await compress(world, single('m0002'), single('m0004'));

  expect(answer).toMatchObject({ ok: true, mode: 'message', created_blocks: ['b1', 'b2'] });
  expect(
    world.state.blocks.map(({ run, topic, batchTopic, unitIds }) => ({ run, topic, batchTopic, unitIds })),
  ).toEqual([
    { run: 1, topic: 'an answer', batchTopic: 'the batch', unitIds: [102] },
    { run: 1, topic: 'an answer', batchTopic: 'the batch', unitIds: [104] },
  ]);
});

test('D9 in message mode a block as the only id makes the call fail', async () => {
  const world = messageWorld();
  await compress(world, single('m0002'));

  const answer = await compress(world, single('b1'));

  expect(answer.error?.message).toBe(
    'Nothing was compressed.\n' +
      'E_REF_FORMAT: content[0].messageId: "b1" is no ref; write it as it stands at the end of the message, such as m0001',
  );
});

test('D10 of a good, a malformed, a repeated and an unknown entry none becomes a block, and the three bad ones are told', async () => {
  const world = messageWorld();

  const answer = await compress(world, single('m0002'), single('x2'), single('m0002'), single('m0444'));

  expect(world.state.blocks).toEqual([]);
  expect(answer.error?.message.split('\n').slice(1)).toEqual([
    'E_REF_FORMAT: content[1].messageId: "x2" is no ref; write it as it stands at the end of the message, such as m0001',
    'E_REF_UNKNOWN: content[3].messageId: m0444 was never given to a message; valid now: m0001-m0006',
    'E_OVERLAP_BATCH: content[2]: content[0] and content[2] share m0002; make them one entry or part them',
  ]);
});

test('D11 an entry that is compressed already makes the fresh one fail too, and is named', async () => {
  const world = messageWorld();
  await compress(world, single('m0002'));

  const answer = await compress(world, single('m0002'), single('m0004'));

  expect(world.state.blocks).toHaveLength(1);
  expect(answer.error?.message).toBe(
    'Nothing was compressed.\n' +
      'E_REF_UNKNOWN: content[0].messageId: m0002 is already inside b1; valid now: m0001, m0003-m0006, m0008',
  );
});

test('D12 where messages of the person are protected one is refused as BLOCKED, an answer alone succeeds', async () => {
  const world = messageWorld({ protectUserMessages: true });

  const refused = await compress(world, single('m0001'), single('m0002'));
  const literal = await compress(world, single('BLOCKED'));
  const done = await compress(world, single('m0002'));

  expect(refused.error?.message).toContain(
    'E_REF_FORMAT: content[0].messageId: m0001 is BLOCKED: messages of the person stay as they are; leave it out',
  );
  expect(literal.error?.message).toContain('a BLOCKED message cannot be compressed; leave it out');
  expect(done.created_blocks).toEqual(['b1']);
  expect(done.valid_refs).toEqual(['m0004', 'm0006', 'm0008-m0009']);
});

test('D13 a message that holds a compress call can be compressed itself', async () => {
  const world = messageWorld();
  await compress(world, single('m0002'), single('m0004', `Said at length: ${'word '.repeat(80)}`));
  world.round([{ output: 'line '.repeat(300) }], `notes ${'word '.repeat(200)}`);
  talk(world, 1);
  const number = world.state.refs.size;
  world.number();
  const holder = world.rows.find((row) =>
    row.parts.some((part) => part.type === 'tool_call' && part.name === 'compress'),
  )!;
  const ref = `m${String(world.state.refs.get(holder.id)).padStart(4, '0')}`;

  const answer = await compress(world, single(ref, 'Two answers were condensed.'));

  expect(number).toBe(8);
  expect(answer).toMatchObject({ ok: true, created_blocks: ['b3'] });
  expect(world.state.blocks[2]?.unitIds).toEqual([holder.id]);
  expect(answer.active_blocks).toEqual(['b1', 'b2', 'b3']);
});

/** What the model reads of each unit in message mode, last line of each message. */
function marksOf(world: CompressWorld): string[] {
  const bodies = new Map(world.rows.map((row) => [row.id, row]));
  const ground = renderGround(world.state, world.config, bodies);
  return groupUnits(world.rows).map((unit) => {
    const [part] = renderUnit(unit, ground).at(-1)!.parts;
    const text = part?.type === 'text' || part?.type === 'tool_result' ? part.text : '';
    return text.split('\n').at(-1)!;
  });
}

test('D12 protected messages of the person show BLOCKED without a priority', () => {
  const world = messageWorld({ protectUserMessages: true });
  world.number();

  expect(marksOf(world).slice(0, 3)).toEqual(['[BLOCKED]', '[m0002 low]', '[BLOCKED]']);
});

test('D13 a message that holds a compress call that worked is of high priority, whatever its size', async () => {
  const world = messageWorld();
  await compress(world, single('m0002'));
  world.number();

  expect(marksOf(world).at(-1)).toBe('[m0009 high]');
});
