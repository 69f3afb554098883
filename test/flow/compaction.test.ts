/** When a long conversation is condensed, who waits, and what the person hears: through the whole main path. */
import { expect, test } from 'vitest';
import type { ModelScript, ScriptRequest } from '@palimpsest/testkit';
import { importTalk } from '../support/import-talk.ts';
import { recordingMeter } from '../support/recording-meter.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const window = 8_000;
/** About 330 tokens. */
const longText = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(
  18,
);

function answering(prompts: ScriptRequest[] = []): ModelScript {
  return (request) => {
    prompts.push(request);
    return { text: `Noted, number ${prompts.length}. ${longText}` };
  };
}

const isAnswer = (text: string): boolean => text.startsWith('Noted');

/** Say so many lines, each after the answer to the one before; notices in between do not count. */
async function talk(world: TurnWorld, lines: number): Promise<void> {
  const before = (await world.heard()).filter(isAnswer).length;
  for (let line = 1; line <= lines; line++) {
    await world.say(`Line ${line}. ${longText}`);
    await world.hear(before + line, isAnswer);
  }
}

test('with background off it is condensed inline at the trigger: same session, summary live, older rows archived, one event each', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: answering(prompts),
    window,
    config: 'compression: {background: false}',
  });

  await talk(world, 14);

  const sessionId = await world.sessionId();
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 50 });
  expect(ledger.length).toBeGreaterThanOrEqual(1);
  expect(ledger.map((row) => [row.layer, row.trigger, row.inPlace])).toEqual(
    ledger.map(() => ['agent', 'threshold', true]),
  );
  expect(await world.history.countEvents([sessionId], 'session:compress')).toBe(ledger.length);
  const rows = await world.rows();
  expect(rows.filter((row) => row.kind === 'summary' && row.state === 'live')).toHaveLength(1);
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(14);
  expect(rows.some((row) => row.kind === 'person' && row.state === 'archived')).toBe(true);
  expect(
    prompts
      .at(-1)!
      .messages.some((message) =>
        message.text.startsWith('[CONTEXT COMPACTION] Earlier turns were compacted'),
      ),
  ).toBe(true);
  expect(prompts.at(-1)!.system).toContain('[Note: Some earlier conversation turns have been compacted');
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
});

test('with background on the plan is made ahead and applied at the trigger; nobody is told of it and nobody waits', async () => {
  await using world = await openTurnWorld({ script: answering(), window });

  await talk(world, 14);

  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 50 });
  expect(
    ledger.filter((row) => row.trigger === 'prepared' && row.outcome === 'success').length,
  ).toBeGreaterThanOrEqual(1);
  expect(await world.heard()).toHaveLength(14);
});

test('a summary that takes too long holds a message at most as configured; then a local one is used and the person is told once', async () => {
  const config =
    'compression: {hygiene_max_turn_hold_seconds: 0.3, threshold: 0.99, small_context_floor: null}';
  await using world = await openTurnWorld({
    script: answering(),
    window,
    config,
    summariser: () => ({ text: '## Goal\nNever comes in time', delayMs: 60_000 }),
  });

  await talk(world, 14);

  const heard = await world.heard();
  const told = heard.filter((text) => text.startsWith('ℹ️'));
  expect(told.length).toBeGreaterThanOrEqual(1);
  expect(told[0]).toContain('nothing is lost');
  expect(heard.filter(isAnswer)).toHaveLength(14);
  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 50 });
  expect(ledger.some((row) => row.layer === 'hygiene' && row.outcome === 'deterministic')).toBe(true);
  expect(world.model.refused).toBe(0);
});

test('a summariser that always fails leaves the history whole and searchable, and every message is answered', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window,
    summariser: () => ({ fault: 'auth' }),
  });
  await world.say('My locker code is 4711-zebra.');
  await world.hear(1);

  await talk(world, 20);

  const answers = (await world.heard()).filter(isAnswer);
  expect(answers).toHaveLength(21);
  const rows = await world.rows();
  expect(rows.filter((row) => row.kind === 'person')).toHaveLength(21);
  const sessionId = await world.sessionId();
  const found = await world.store.transcript.search({ sessionId }, 'zebra', {
    limit: 5,
    neighbours: 0,
    liveOfOwnSession: true,
  });
  expect(found).toHaveLength(1);
  expect(world.model.refused).toBe(0);
});

test('a prompt that the provider refuses is condensed and sent again; the person gets the answer', async () => {
  let refusals = 0;
  const recording = recordingMeter();
  await using world = await openTurnWorld({
    window,
    meter: recording.meter,
    script: (request) => {
      if (request.messages.length > 10 && refusals === 0) {
        refusals += 1;
        return { fault: 'overflow' };
      }
      return { text: `Noted. ${longText}` };
    },
  });

  await talk(world, 7);

  expect(refusals).toBe(1);
  expect((await world.heard()).filter(isAnswer)).toHaveLength(7);
  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 50 });
  expect(ledger.some((row) => row.layer === 'overflow' && row.trigger === 'emergency')).toBe(true);
  expect(recording.counted('gateway_context_overflow_errors_total')).toEqual([
    { model: 'claude-sonnet-5', recovered: 'yes' },
  ]);
});

test('a session imported at twice the window still gets its answer', async () => {
  await using world = await openTurnWorld({ script: answering(), window });
  await world.say('hello');
  await world.hear(1);
  await importTalk(world, { count: 48, text: longText, tokens: 350 });

  await world.say('are you still there?');

  const answers = await world.hear(2, isAnswer);
  expect(answers).toHaveLength(2);
  expect(world.model.refused).toBe(0);
  expect(
    (await world.rows()).filter(
      (row) =>
        row.replaces === undefined &&
        row.parts.some((part) => part.type === 'text' && part.text.startsWith('Imported')),
    ),
  ).toHaveLength(48);
});

test.each([{ in_place: true }, { in_place: false }])(
  'a session that is condensed before its very first answer keeps its system prompt: %o',
  async (compression) => {
    const prompts: ScriptRequest[] = [];
    const config = `compression: ${JSON.stringify({ ...compression, background: false })}\nagent: {instructions: Speak of boats.}`;
    await using world = await openTurnWorld({ script: answering(prompts), window, config });
    await importTalk(world, { count: 48, text: longText, tokens: 350 });

    await world.say('are you still there?');
    await world.hear(1, isAnswer);
    await world.say('and now?');
    await world.hear(2, isAnswer);

    const answered = prompts.filter(({ system }) => system.includes('Speak of boats.'));
    expect(answered.map(({ system }) => system)).toEqual([answered[0]!.system, answered[0]!.system]);
    const sessionId = await world.sessionId();
    expect((await world.store.turns.session(sessionId))!.systemPrompt).toContain('Speak of boats.');
  },
);

test('/compress condenses now and says what changed; with nothing to condense it says so', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await world.say('/compress');
  expect((await world.hear(1)).at(-1)).toBe('ℹ️ Nothing to condense yet: the conversation is still short.');

  await talk(world, 16);
  await world.say('/compress the ferry times');

  const told = (await world.hear(18)).at(-1)!;
  expect(told).toMatch(
    /^ℹ️ Condensed: 32 → \d+ messages, about [\d,]+ → [\d,]+ tokens\. Older lines stay searchable\.$/,
  );
  const [row] = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 1 });
  expect(row).toMatchObject({ layer: 'manual', trigger: 'manual', outcome: 'success' });
  expect(world.summariser.requests.some((request) => request.body.includes('the ferry times'))).toBe(true);
});

test('no prompt ever holds text about how full the context is', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window });

  await talk(world, 20);

  const pressure =
    /context (?:is|window)[^.]{0,40}(?:full|pressure|limit)|running out of (?:context|tokens)|\d+ ?% of (?:the|your) (?:context|window)/i;
  for (const prompt of prompts) {
    expect(prompt.system).not.toMatch(pressure);
    for (const message of prompt.messages) expect(message.text).not.toMatch(pressure);
  }
});
