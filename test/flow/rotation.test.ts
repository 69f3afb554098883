/** `compression.in_place: false`: a conversation goes on in a child session, and nobody who talks notices. */
import { expect, test } from 'vitest';
import type { Tool } from '@palimpsest/core';
import type { ScriptRequest } from '@palimpsest/testkit';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const window = 8_000;
const inline = 'compression: {in_place: false, background: false}';

async function sessionsOf(world: TurnWorld): Promise<readonly string[]> {
  return world.history.sessionsOfChat({ platform: 'local', id: 'local' }, { chatId: 'test', threadId: '' });
}

async function rowsOf(world: TurnWorld) {
  const ids = await sessionsOf(world);
  const pages = await Promise.all(
    ids.map((id) => world.store.transcript.page(id, { afterSeq: 0, limit: 1_000 })),
  );
  return pages.flat();
}

test('the turn that reaches the trigger goes on in a child session and is answered; every line is kept once', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({ script: answering(prompts), window, config: inline });

  await talk(world, 14);

  const sessions = await sessionsOf(world);
  expect(sessions.length).toBeGreaterThan(1);
  const child = (await world.store.turns.session(sessions.at(-1)!))!;
  expect(child).toMatchObject({ parentSessionId: sessions.at(-2), title: `#${sessions.length}` });
  const accepted = (await rowsOf(world)).filter((row) => row.kind === 'person' && row.replaces === undefined);
  expect(accepted).toHaveLength(14);
  expect(new Set(accepted.map((row) => row.parts.at(-1))).size).toBe(14);
  expect(await world.heard()).toHaveLength(14);
  expect(prompts.at(-1)!.messages.some((message) => message.text.startsWith('[CONTEXT COMPACTION]'))).toBe(
    true,
  );
  expect(world.model.violations).toEqual([]);
  expect(world.model.refused).toBe(0);
  const ledger = await world.store.compactions.ledger({ sessionId: child.id, limit: 5 });
  expect(ledger.at(-1)).toMatchObject({ inPlace: false, oldSessionId: sessions.at(-2) });
  expect(ledger.at(-1)!.tokensAfterConfirmed).toBeGreaterThan(0);
  expect(await world.history.countEvents(sessions, 'session:compress')).toBe(sessions.length - 1);
});

test('every accepted message is done, answered and has its row, also those of a turn that was moved', async () => {
  await using world = await openTurnWorld({ script: answering(), window, config: inline });
  await talk(world, 14);

  const accepted = (
    await Promise.all((await sessionsOf(world)).map((id) => world.history.accepted(id)))
  ).flat();

  expect(accepted).toHaveLength(14);
  for (const message of accepted)
    expect(message).toMatchObject({
      state: 'done',
      turnState: 'answered',
      replyState: 'sent',
      rowSeq: expect.any(Number),
    });
});

test('a rotation between two tool rounds keeps the turn: the rounds go on in the child and the answer comes once', async () => {
  const read: Tool = {
    schema: { name: 'read_log', description: 'a log', parameters: { type: 'object', properties: {} } },
    repeatable: true,
    run: async () => ({ text: 'log line that says nothing much at all\n'.repeat(120), isError: false }),
  };
  let left = 0;
  const talking = answering();
  await using world = await openTurnWorld({
    window,
    config: inline,
    tools: [read],
    script: (request) => {
      if (request.messages.at(-1)!.text.includes('Read the logs')) left = 4;
      else if (left > 0) left -= 1;
      else return talking(request);
      if (left === 0) return { text: 'Noted: four logs read.' };
      return { toolCalls: [{ name: 'read_log', arguments: {} }] };
    },
  });
  await talk(world, 6);

  await world.say('Read the logs, please.');

  expect((await world.hear(7, isAnswer)).at(-1)).toBe('Noted: four logs read.');
  const sessions = await sessionsOf(world);
  expect(sessions.length).toBeGreaterThan(1);
  const own = (await rowsOf(world)).filter((row) => row.replaces === undefined);
  expect(own.filter((row) => row.kind === 'tool')).toHaveLength(4);
  expect(own.filter((row) => row.kind === 'person')).toHaveLength(7);
  const accepted = await world.history.accepted(sessions.at(-1)!);
  expect(accepted.at(-1)).toMatchObject({ state: 'done', turnState: 'answered', replyState: 'sent' });
  expect(world.model.violations).toEqual([]);
});

test('with background on the job moves the conversation while nobody talks, and the next message finds it', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window,
    config: 'compression: {in_place: false}',
  });
  await talk(world, 14);

  const sessions = await sessionsOf(world);
  expect(sessions.length).toBeGreaterThan(1);
  expect((await world.heard()).filter(isAnswer)).toHaveLength(14);
});

test('/compress moves the conversation too and answers; /undo_compaction says why it cannot be taken back', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: inline });
  await talk(world, 16);

  expect(await ask(world, '/compress')).toMatch(/^ℹ️ Condensed: 32 → \d+ messages/);
  expect(await sessionsOf(world)).toHaveLength(2);
  expect(await ask(world, '/undo_compaction')).toBe(
    'ℹ️ Condensing moved this conversation to a new session (compression.in_place is false), so it cannot be taken back. What was said before stays searchable.',
  );
  await talk(world, 1);
});

test('/new begins a chapter in the same session', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000, config: inline });
  await talk(world, 3);

  await ask(world, '/new');

  expect(await sessionsOf(world)).toHaveLength(1);
});
