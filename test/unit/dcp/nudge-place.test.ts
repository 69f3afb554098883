import { expect, test } from 'vitest';
import { DcpWorld, linesOf, type DcpChanges } from '../../support/dcp-world.ts';
import { words } from '../../support/memory-transcript.ts';

const eager: DcpChanges = { compress: { maxContextLimit: 2_000, minContextLimit: 1_000 } };

/** Two large steps and enough small ones that the large ones may be compressed. */
function longWorld(config: DcpChanges = eager): DcpWorld {
  const world = new DcpWorld({ windowTokens: 32_000, config });
  world.say('look around');
  world.step([{ id: 'a', args: '{"n":1}', result: words(6_000) }]);
  world.step([{ id: 'b', args: '{"n":2}', result: words(5_500) }]);
  for (const id of ['c', 'd', 'e', 'f']) world.step([{ id, args: `{"n":"${id}"}`, result: 'ok' }]);
  return world;
}

test('D15 a nudge is one text at the very end; tool output and messages are as without it', async () => {
  const nudged = await longWorld().prompt();
  const plain = await longWorld({ compress: { maxContextLimit: 90_000 } }).prompt();

  expect(nudged.slice(0, -1)).toEqual(plain);
  expect(nudged.at(-1)!.role).toBe('user');
  expect(nudged.at(-1)!.parts).toHaveLength(1);
  expect(linesOf(nudged).at(-1)).toMatch(/^user: <dcp-reminder>\n[\s\S]*\n<\/dcp-reminder>$/);
});

test('D16 in range mode a nudge names spans and the blocks in force', async () => {
  const world = longWorld();
  await world.prompt();
  await world.range({ startId: 'm0002', endId: 'm0002', summary: 'looked' });
  world.say('more');
  world.step([{ id: 'g', args: '{"n":3}', result: words(3_000) }]);
  for (const id of ['h', 'i', 'j', 'k']) world.step([{ id, args: `{"n":"${id}"}`, result: 'ok' }]);

  world.price(9_000);

  const last = linesOf(await world.prompt()).at(-1)!;

  expect(last).toContain('Parts that can go: m0003 to m0008; m0010 to m0010.');
  expect(last).toContain('Blocks in force: b1.');
});

test('D16 in message mode a nudge names only earlier, visible, unprotected messages of high priority', async () => {
  const world = longWorld({ ...eager, compress: { ...eager.compress, mode: 'message' } });
  world.step([{ id: 'z', args: '{"n":"z"}', result: words(7_000) }]);

  const last = linesOf(await world.prompt()).at(-1)!;

  expect(last).toContain('Parts that can go: m0002; m0003.');
  expect(last).not.toMatch(/m0001|m0008|Blocks in force/);
});

test('D21 the same request again says the same, byte for byte, and stores nothing more', async () => {
  const world = longWorld();

  const first = await world.request();
  const again = await world.request();

  expect(again.messages).toEqual(first.messages);
  expect(again.stateChange).toBeUndefined();
  expect(world.state.counters.nudges).toBe(1);
});

test('D21 after a restart without the stored round the same request says the same', async () => {
  const world = longWorld();
  const first = await world.engine.assemble(world.transcript, world.budget);
  world.rebuild();

  const again = await world.engine.assemble(world.transcript, world.budget);

  expect(again).toEqual(first);
});

test('what was sent before stands unchanged when the conversation goes on; only the nudge is gone', async () => {
  const world = longWorld();
  const first = await world.prompt();
  world.step([{ id: 'y', args: '{"n":"y"}', result: 'ok' }]);

  const next = await world.prompt();

  expect(next.slice(0, first.length - 1)).toEqual(first.slice(0, -1));
  expect(linesOf(next).join('\n')).not.toContain('dcp-reminder');
});

test('below the upper limit only a part that saves a tenth of the window is worth a nudge, above it less', async () => {
  const between = { maxContextLimit: 20_000, minContextLimit: 1_000 };
  const nudged = async (result: number, compress: typeof between): Promise<boolean> => {
    const world = new DcpWorld({ windowTokens: 32_000, config: { compress } });
    world.say('look around');
    world.step([{ id: 'a', result: words(result) }]);
    for (const id of ['c', 'd', 'e']) world.step([{ id, args: `{"n":"${id}"}`, result: 'ok' }]);
    world.say('and now?');
    return linesOf(await world.prompt())
      .at(-1)!
      .includes('dcp-reminder');
  };

  expect(await nudged(2_000, between)).toBe(false);
  expect(await nudged(5_000, between)).toBe(true);
  expect(await nudged(2_000, { maxContextLimit: 1_500, minContextLimit: 1_000 })).toBe(true);
});

test('a nudge holds no figure that could change from one request to the next', async () => {
  const last = linesOf(await longWorld().prompt()).at(-1)!;

  expect(last.replace(/\b[mb]\d+\b/g, '')).not.toMatch(/\d/);
});

test('D33 a person who asked for it is heard once: with the next request, its repeats, and no other', async () => {
  const world = longWorld({ compress: { maxContextLimit: 90_000 } });
  await world.command('compress the parser');

  const asked = linesOf(await world.prompt()).at(-1)!;
  const repeated = linesOf(await world.prompt()).at(-1)!;
  world.step([{ id: 'y', args: '{"n":"y"}', result: 'ok' }]);
  const later = linesOf(await world.prompt()).at(-1)!;

  expect(asked).toContain('The person asked for the conversation to be compressed.');
  expect(asked).toContain('Keep in detail what concerns: "the parser".');
  expect(repeated).toBe(asked);
  expect(later).not.toContain('dcp-reminder');
});

test('manual mode says nothing by itself, allows one call after the person asked, and then is back', async () => {
  const world = longWorld();
  await world.command('manual on');
  const quiet = linesOf(await world.prompt()).join('\n');
  const entry = { startId: 'm0002', endId: 'm0002', summary: 'looked' };

  const refused = await world.range(entry);
  await world.command('compress');
  await world.prompt();
  const allowed = await world.range(entry);
  const after = await world.range({ startId: 'm0003', endId: 'm0003', summary: 'looked' });

  expect(quiet).not.toContain('dcp-reminder');
  expect(refused).toMatchObject({ ok: false });
  expect(allowed).toMatchObject({ ok: true });
  expect(after).toMatchObject({ ok: false });
  expect(world.state.manualMode).toBe(true);
});

test('what a person allowed and the model did not use is over with their next message', async () => {
  const world = longWorld();
  await world.command('manual on');
  await world.command('compress');
  await world.prompt();
  world.answer('Not now.');
  world.say('go on');
  await world.prompt();

  const refused = await world.range({ startId: 'm0002', endId: 'm0002', summary: 'looked' });

  expect(refused).toMatchObject({ ok: false });
  expect(world.state.grant).toBeNull();
});
