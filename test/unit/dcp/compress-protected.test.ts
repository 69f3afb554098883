import { expect, test } from 'vitest';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';

const range = (startId: string, endId: string, summary = 'Old part.') => ({ startId, endId, summary });
const filler = 'word '.repeat(300);

async function bodyOf(world: CompressWorld, endId: string): Promise<string> {
  const answer = await world.range([range('m0001', endId)]);
  expect(answer.error).toBeUndefined();
  return world.state.blocks.at(-1)!.body;
}

test('D7 tagged text of a person is copied into the summary, that of a message nobody is to see is not', async () => {
  const world = new CompressWorld(dcpConfig({}, { protectTags: true }));
  world.person('Do it. <protect>Never touch\nprod.</protect> Thanks. <PROTECT>Use tabs.</PROTECT>');
  world.person('<protect>not this</protect>', 'notice');
  world.answer(filler);
  talk(world, 2);

  expect(await bodyOf(world, 'm0002')).toBe(
    'Old part.\n\n### Messages of the person, word for word\nNever touch\nprod.\n\nUse tabs.',
  );
});

test('without protectTags the tags mean nothing', async () => {
  const world = new CompressWorld();
  world.person('<protect>Never touch prod.</protect>');
  world.answer(filler);
  talk(world, 2);

  expect(await bodyOf(world, 'm0002')).toBe('Old part.');
});

test('protectUserMessages copies every text of the person, in order, word for word', async () => {
  const world = new CompressWorld(dcpConfig({}, { protectUserMessages: true }));
  const first = world.person('First  line\n\twith a tab');
  world.rows = [{ ...first, parts: [...first.parts, { type: 'text', text: 'second part (b1)' }] }];
  world.answer(filler);
  world.person('A later wish');
  world.answer(filler);
  talk(world, 2);

  expect(await bodyOf(world, 'm0004')).toBe(
    'Old part.\n\n### Messages of the person, word for word\nFirst  line\n\twith a tab\n\nsecond part (b1)\n\nA later wish',
  );
});

test('D8 the completed output of a protected tool is copied, a failed one and others are not', async () => {
  const world = new CompressWorld(dcpConfig({}, { protectedTools: ['task', 'skill_*'] }));
  world.person('go');
  world.round([
    { name: 'task', output: 'plan A' },
    { name: 'skill_view', output: 'how to deploy' },
    { name: 'task', output: 'it broke', isError: true },
    { name: 'terminal', output: filler },
  ]);
  talk(world, 2);

  expect(await bodyOf(world, 'm0002')).toBe(
    'Old part.\n\n### Output of task\nplan A\n\n### Output of skill_view\nhow to deploy',
  );
});

test('D8 a protected tool inside a wrapper and a protected file keep the output like a protected name does', async () => {
  const world = new CompressWorld(
    dcpConfig({ protectedFilePatterns: ['docs/**/*.md'] }, { protectedTools: ['task'] }),
  );
  world.person('go');
  world.round([
    { name: 'batch', args: { calls: [{ tool: 'task', parameters: {} }] }, output: 'from a list' },
    { name: 'execute', args: { code: 'const a = await tools.task({ x: 1 })' }, output: 'from code' },
    { name: 'read', args: { filePath: 'docs/a/b/plan.md' }, output: 'from a file' },
    { name: 'read', args: { filePath: 'src/plan.md' }, output: filler },
  ]);
  talk(world, 2);

  expect(await bodyOf(world, 'm0002')).toBe(
    'Old part.\n\n### Output of batch\nfrom a list\n\n### Output of execute\nfrom code\n\n### Output of read\nfrom a file',
  );
});

test('an output that a block holds already is not copied again by the block around it', async () => {
  const world = new CompressWorld(dcpConfig({}, { protectedTools: ['task'] }));
  world.person('go');
  world.round([{ name: 'task', output: 'plan A' }], filler);
  talk(world, 3);
  await world.range([range('m0001', 'm0002')]);

  await world.range([range('b1', 'm0004', 'Larger part. (b1)')]);

  expect(world.state.blocks[1]?.body).toBe('Larger part. (b1)');
});

test('D34 a range that touches the newest messages or the newest one of the person is refused and they are named', async () => {
  const world = talk(new CompressWorld(dcpConfig({ preserveRecentMessages: 2 })), 4);
  world.answer(filler);
  world.answer(filler);

  const tail = await world.range([range('m0008', 'm0010')]);
  const newest = await world.range([range('m0001', 'm0008')]);

  expect(tail.error?.message).toBe(
    'Nothing was compressed.\n' +
      "E_PROTECTED_TAIL: content[0]: m0009, m0010 cannot be compressed: the newest messages and the person's newest one stay; valid now: m0001-m0006, m0008",
  );
  expect(newest.error?.message).toContain('E_PROTECTED_TAIL: content[0]: m0007 cannot be compressed');
  expect(world.state.blocks).toEqual([]);
});

test('the newest messages are protected up to the configured tokens, at most 5 % of the window', async () => {
  const world = talk(new CompressWorld(dcpConfig({ preserveRecentTokens: 1000 })), 6);
  const refused = async (): Promise<string> =>
    (await world.tryCompress({ topic: 't', content: [range('m0001', 'm0012')] })).result.text;

  // A turn of the talk has 287 tokens, 30 of the question and 257 of the answer.
  expect(await refused()).toContain('m0006, m0007, m0008, m0009, m0010, m0011, m0012 cannot be compressed');
  world.windowTokens = 8_000;
  expect(await refused()).toContain('content[0]: m0011, m0012 cannot be compressed');
});
