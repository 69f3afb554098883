import { expect, test } from 'vitest';
import { failing, longWorld, planOf, sizeOf, windowTokens } from '../../support/dcp-room.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';
import { ScriptedSummariser, words } from '../../support/memory-transcript.ts';

test('in normal running it never asks for room by itself, however long the conversation', () => {
  const world = longWorld(10);
  const ask = (promptTokens: number) =>
    world.engine.shouldCompress({
      promptTokens,
      source: 'api',
      budget: world.budget,
      liveRows: 6_000,
      session: world.transcript.session,
      now: new Date(0),
    });

  // Window 32,000 less the reserve of 3,200.
  expect(ask(28_799)).toEqual({ kind: 'no', reason: 'below_threshold' });
  expect(ask(28_800)).toEqual({ kind: 'now', reason: 'hard_limit' });
});

test.each(['background', 'agent'] as const)(
  'asked by %s below the hard limit it does nothing',
  async (layer) => {
    const world = longWorld(25);

    const made = await world.room({ layer, trigger: 'threshold', promptTokens: 20_000 });

    expect(made).toMatchObject({ kind: 'none', outcome: 'noop' });
  },
);

test('hygiene puts the oldest span under a block of the service; rows and tail stay as they are', async () => {
  const world = longWorld(27);
  await world.prompt();
  const rows = structuredClone(world.transcript.rows);

  const plan = planOf(await world.room({ layer: 'hygiene' }));
  const lines = linesOf(await world.prompt());

  expect(plan).toMatchObject({ outcome: 'success', archive: [], write: [], summaryModel: 'summary-model' });
  expect(world.state.blocks).toMatchObject([
    { number: 1, author: 'host_hygiene', startRef: 'm0001', origin: null },
  ]);
  expect(lines[0]).toBe(
    'user: [Record of earlier messages, condensed: earlier part of the conversation]\nwhat was done before\n[b1]',
  );
  expect(lines.at(-1)).toBe('user: and now?\n[m0055]');
  expect(sizeOf(world)).toBeLessThan(19_000);
  expect(world.transcript.rows).toEqual(rows);
  expect(plan.figures.tokensAfter).toBeLessThan(plan.figures.tokensBefore);
});

test('in hygiene a failed summariser leaves everything as it is and asks for a rest', async () => {
  const world = longWorld(27);

  const made = await world.room({ layer: 'hygiene' }, failing());

  expect(made).toMatchObject({
    kind: 'none',
    outcome: 'failed',
    reason: 'summary_provider_5xx',
    cooldownMs: 60_000,
  });
  expect(world.state.blocks).toEqual([]);
});

test('without a model hygiene writes the block itself and says so in it', async () => {
  const world = longWorld(27);

  const plan = planOf(await world.room({ layer: 'hygiene', mode: 'local' }));

  expect(plan).toMatchObject({ outcome: 'deterministic', summaryModel: null });
  expect(world.state.blocks[0]!.body).toMatch(/^\(Written without a model:/);
  expect(world.state.blocks[0]!.body).toContain('question 13:');
});

test('strategies come first: where they free enough no block is made', async () => {
  const world = new DcpWorld({ windowTokens });
  world.say('begin');
  for (let call = 0; call < 20; call++) world.step([{ id: `c${call}`, result: words(1_300) }]);
  for (let turn = 0; turn < 4; turn++) {
    world.answer('done');
    world.say('next');
  }

  const plan = planOf(await world.room({ layer: 'hygiene' }));

  expect(plan.figures).toMatchObject({ toolResultsPruned: 19, summaryCalls: 0 });
  expect(world.state.blocks).toEqual([]);
  expect(world.state.marks).toHaveLength(19);
});

test('a row limit or any other cause below 85 % of the window moves nothing, with 6,000 live rows', async () => {
  const world = new DcpWorld();
  for (let index = 0; index < 3_000; index++) {
    world.say(`question ${index}`);
    world.answer(`answer ${index}`);
  }

  const made = await world.room({ layer: 'hygiene' });

  expect(made).toMatchObject({ kind: 'none', reason: 'below_threshold' });
});

test('hygiene observe makes no block; the model is told plainly with its next step', async () => {
  const world = longWorld(27, { hygiene: 'observe' });

  const made = await world.room({ layer: 'hygiene' });
  const last = linesOf(await world.prompt()).at(-1);

  expect(made).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'model_asked' });
  expect(world.state.blocks).toEqual([]);
  // Of the soft and the strong text the strong one.
  expect(last).toContain('Call compress on finished parts now, before other work.');
});

test('hygiene rewrite archives all before the tail under one summary row and begins anew with refs', async () => {
  const world = longWorld(27, { hygiene: 'rewrite' });
  await world.prompt();

  const plan = planOf(await world.room({ layer: 'hygiene' }));
  const lines = linesOf(await world.prompt());

  expect(plan.archive).toHaveLength(51);
  expect(plan.write).toMatchObject([{ role: 'user', kind: 'summary' }]);
  expect(world.state).toMatchObject({ generation: 1, blocks: [], marks: [] });
  expect(lines).toHaveLength(5);
  expect(lines[0]).toContain('what was done before');
  // Numbers go on: none is given twice.
  expect(lines.at(-1)).toBe('user: and now?\n[m0060]');
});

test('one emergency after the other never grows the blocks without end: heavy ones are taken in', async () => {
  const world = longWorld(0);
  for (let turn = 1; turn <= 300; turn++) {
    world.say(`question ${turn}: ${words(400)}`);
    world.answer(`answer ${turn}: ${words(560)}`);
    if (sizeOf(world) > 27_200)
      planOf(await world.room({ layer: 'hygiene' }, new ScriptedSummariser([words(1_500)])));
    await world.prompt();
    expect(sizeOf(world)).toBeLessThan(28_800);
  }
  const shown = linesOf(await world.prompt()).filter((line) => line.includes('[Record of earlier'));

  expect(shown.length).toBeLessThan(5);
  expect(world.transcript.rows).toHaveLength(601);
});

test('/compress has the model asked at its next step, and changes nothing else', async () => {
  const world = longWorld(5);
  await world.prompt();

  const made = await world.room({ layer: 'manual', trigger: 'manual', focus: 'the parser' });

  expect(made).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'model_asked', summaryCalls: 0 });
  expect(world.state.grant).toEqual({ focus: 'the parser', isShown: false });
  expect(linesOf(await world.prompt()).at(-1)).toContain('The person asked for the conversation');
});

test('a session that begins in manual mode stays in it when room has to be made before its first request', async () => {
  const world = longWorld(27, { manualMode: { enabled: true, automaticStrategies: true } });

  planOf(await world.room({ layer: 'hygiene' }));

  expect(world.state.manualMode).toBe(true);
});

test('a stop while the summary is written leaves everything as it is', async () => {
  const world = longWorld(27);
  const stop = new AbortController();
  const summariser = new ScriptedSummariser(['text']);
  const made = await world.engine.compress(
    world.transcript,
    {
      layer: 'hygiene',
      trigger: 'hygiene',
      mode: 'full',
      force: false,
      promptTokens: sizeOf(world),
      promptTokensSource: 'estimate',
      budget: world.budget,
    },
    {
      summariser: {
        model: 'm',
        windowTokens: 100_000,
        summarise: (request) => {
          stop.abort();
          return summariser.summarise(request);
        },
      },
      clock: { now: () => new Date(0), sleep: () => Promise.resolve() },
      signal: stop.signal,
    },
  );

  expect(made).toMatchObject({ kind: 'none', outcome: 'aborted' });
});
