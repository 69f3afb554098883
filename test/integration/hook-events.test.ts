/** Events of turns and commands: written with what they speak of, only where a hook wants them, and without a word of it. */
import { eventSchemas, knownCommands } from '@palimpsest/core';
import { menuCommands } from '@palimpsest/turn';
import { expect, test } from 'vitest';
import { query } from '../support/ledger-attempts.ts';
import { ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const dig = {
  schema: { name: 'dig', description: 'reads', parameters: { type: 'object', properties: {} } },
  repeatable: true,
  run: () => Promise.resolve({ text: 'heliotrope', isError: false }),
};

/** One round of tools, then the answer. */
const openWorld = (): Promise<TurnWorld> =>
  openTurnWorld({
    tools: [dig],
    script: ({ messages }) =>
      messages.at(-1)!.toolResults.length > 0
        ? { text: 'Noted, zanzibar.' }
        : { toolCalls: [{ name: 'dig', arguments: {} }] },
  });

async function eventsOf(world: TurnWorld): Promise<Record<string, unknown>[]> {
  const rows = await query<{ payload: Record<string, unknown> }>(
    world,
    `SELECT payload FROM events WHERE type <> 'session:start' ORDER BY id`,
  );
  return rows.map(({ payload }) => payload);
}

const subscribe = (
  world: TurnWorld,
  ...events: Parameters<TurnWorld['store']['hooks']['subscribe']>[0][0]['events']
) => world.store.hooks.subscribe([{ name: 'listener', events }]);

test('without a hook that wants them neither steps nor beginnings of turns nor commands are written', async () => {
  await using world = await openWorld();
  await subscribe(world, 'session:compress');

  await talk(world, 1);
  await ask(world, '/usage');

  expect((await eventsOf(world)).map(({ type }) => type)).toEqual(['agent:end']);
  expect(await query(world, `SELECT 1 FROM hook_deliveries`)).toEqual([]);
});

test('a hook that wants them hears of a turn in order and of commands by name, and never what was said', async () => {
  await using world = await openWorld();
  await subscribe(world, 'agent:start', 'agent:step', 'agent:end', 'session:end', 'command:*');

  await talk(world, 1);
  await ask(world, '/usage');
  await ask(world, '/status');
  await ask(world, '/heliotrope zanzibar');
  const sessionId = await world.sessionId();
  await ask(world, '/reset');

  const events = await eventsOf(world);
  const turnId = expect.any(String) as string;
  const nextSessionId = expect.stringMatching(/^\d{8}_/) as string;
  expect(events).toEqual([
    { type: 'agent:start', sessionId, turnId, messages: 1 },
    { type: 'agent:step', sessionId, turnId, step: 1 },
    { type: 'agent:end', sessionId, turnId, outcome: 'answered', steps: 2 },
    { type: 'command:usage', sessionId, by: 'person' },
    { type: 'command:status', sessionId, by: 'person' },
    { type: 'command:other', sessionId, by: 'person' },
    { type: 'command:reset', sessionId, by: 'person' },
    { type: 'session:end', sessionId, platform: 'local', reason: 'reset', nextSessionId },
    { type: 'session:reset', sessionId: nextSessionId, oldSessionId: sessionId, platform: 'local' },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/heliotrope|zanzibar/);
  const told = await query<{ type: string }>(
    world,
    `SELECT e.type FROM hook_deliveries h JOIN events e ON e.id = h.event_id ORDER BY e.id`,
  );
  expect(told.map(({ type }) => type)).toEqual(
    events.map(({ type }) => type).filter((type) => type !== 'session:reset'),
  );
  for (const event of events.filter(({ type }) => type !== 'session:reset')) {
    const name = String(event['type']).replace(/^command:.*/, 'command:*') as keyof typeof eventSchemas;
    expect(eventSchemas[name].parse(event)).toEqual(event);
  }
});

test('every command of the menu may be told by its name', () => {
  const signals = ['stop', 'status', 'queue'];
  const names = menuCommands(() => true).map(({ name }) => name);

  expect(
    names.filter((name) => !signals.includes(name) && !(knownCommands as readonly string[]).includes(name)),
  ).toEqual([]);
});
