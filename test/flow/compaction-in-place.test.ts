/** `compression.in_place: true`: what a condensation leaves of a session, of a turn that is under way and of its prompt. */
import { expect, test } from 'vitest';
import type { Tool } from '@palimpsest/core';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

/** Hygiene from 6,800 on, hard limit 7,200; a line and its answer: 660. */
const window = 8_000;
const onlyHygiene = 'compression: {threshold: 0.99, small_context_floor: null, background_at: 1}';

const ownRows = async (world: TurnWorld) =>
  (await world.rows()).filter((row) => row.replaces === undefined && row.kind !== 'summary');

test('H8 the net before the agent condenses in place, bound to the session, and the prompt keeps its first block', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window, config: onlyHygiene });

  await talk(world, 14);

  const sessionId = await world.sessionId();
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 10 });
  expect(ledger.at(-1)).toMatchObject({
    layer: 'hygiene',
    trigger: 'hygiene',
    outcome: 'success',
    inPlace: true,
  });
  expect(
    await world.history.sessionsOfChat({ platform: 'local', id: 'local' }, { chatId: 'test', threadId: '' }),
  ).toEqual([sessionId]);
  const [first, last] = [prompts[0]!.system, prompts.at(-1)!.system];
  expect(last.startsWith(first)).toBe(true);
  expect(last.slice(first.length).trim()).toMatch(
    /^\[Note: Some earlier conversation turns have been compacted/,
  );
  expect(world.model.violations).toEqual([]);
});

test('H11 after it no line was written again: all that was said stands there once, byte for byte, in its place', async () => {
  await using world = await openTurnWorld({ script: answering(), window, config: onlyHygiene });
  await talk(world, 9);
  const before = await ownRows(world);

  await talk(world, 5);

  const after = await ownRows(world);
  const asTheyWere = after.slice(0, before.length);
  expect(asTheyWere.map(({ id, seq, parts, sentAt }) => ({ id, seq, parts, sentAt }))).toEqual(
    before.map(({ id, seq, parts, sentAt }) => ({ id, seq, parts, sentAt })),
  );
  expect(asTheyWere.some((row) => row.state === 'archived')).toBe(true);
  expect(after).toHaveLength(28);
});

test('S5 a condensation between two tool rounds keeps the turn: its rounds are stored once and stand behind the summary', async () => {
  const prompts: ScriptRequest[] = [];
  let left = 0;
  const talking = answering();
  await using world = await openTurnWorld({
    window,
    config: 'compression: {background: false}',
    tools: [readLog],
    script: (request) => {
      prompts.push(request);
      if (request.messages.at(-1)!.text.includes('Read the logs')) left = 4;
      else if (left > 0) left -= 1;
      else return talking(request);
      return left === 0
        ? { text: 'Noted: four logs read.' }
        : { toolCalls: [{ name: 'read_log', arguments: {} }] };
    },
  });
  await talk(world, 6);
  const quiet = await ownRows(world);

  await world.say('Read the logs, please.');

  expect((await world.hear(7, isAnswer)).at(-1)).toBe('Noted: four logs read.');
  const rows = await ownRows(world);
  // The message, four rounds of call and result, the answer: each once, whatever was condensed in between.
  expect(rows.slice(quiet.length).map((row) => row.role)).toEqual([
    'user',
    ...Array.from({ length: 4 }, () => ['assistant', 'tool']).flat(),
    'assistant',
  ]);
  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 10 });
  expect(ledger.some((row) => row.layer === 'agent' && row.outcome === 'success')).toBe(true);
  expect(prompts.at(-1)!.messages.at(-1)!.role).toMatch(/tool|user/);
  expect(world.model.violations).toEqual([]);
});

const readLog: Tool = {
  schema: { name: 'read_log', description: 'a log', parameters: { type: 'object', properties: {} } },
  repeatable: true,
  run: async () => ({ text: 'log line that says nothing much at all\n'.repeat(120), isError: false }),
};
