/** B13: the calls that a lean summary and its stubs name bring archived rows back, through the real tool and search. */
import { expect, test } from 'vitest';
import { sessionSearch } from '@palimpsest/agent';
import { textOfParts, type Tool } from '@palimpsest/core';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const filler = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(18);

const isAnswer = (text: string): boolean => text.startsWith('Noted');

async function talk(world: TurnWorld, lines: readonly string[]): Promise<void> {
  for (const [index, line] of lines.entries()) {
    await world.say(line);
    await world.hear(index + 1, isAnswer);
  }
}

/** The calls that a text names, as the model would make them. */
function callsIn(text: string): Record<string, unknown>[] {
  return [...text.matchAll(/session_search (\{"query": "(?:[^"\\]|\\.)*"\})/g)].map(
    (match) => JSON.parse(match[1]!) as Record<string, unknown>,
  );
}

async function run(world: TurnWorld, input: Record<string, unknown>): Promise<string> {
  const session = await world.store.turns.session(await world.sessionId());
  const tool = sessionSearch(world.store.transcript, 'UTC');
  const signal = new AbortController().signal;
  return (await tool.run(input, { session: session!, turnId: 't', senderIds: [], signal, callId: 'c' })).text;
}

test('B13 the call that the summary names finds archived rows, and one of them holds its words', async () => {
  await using world = await openTurnWorld({
    script: (request) => ({ text: `Noted, ${request.messages.length}. ${filler}` }),
    window: 8_000,
    config: 'compression: {background: false}',
  });

  const codes = ['heron-4711', 'badger-0815', 'otter-2342'];
  await talk(
    world,
    Array.from(
      { length: 16 },
      (_, index) => `Line ${index}: the code is ${codes[index % 3]}-${index}. ${filler}`,
    ),
  );

  const rows = await world.rows();
  const summary = rows.find((row) => row.kind === 'summary' && row.state === 'live');
  const [call] = callsIn(textOfParts(summary!.parts));
  const answer = await run(world, call!);
  const ids = [...answer.matchAll(/^> .*?\(id (\d+)\): /gm)].map((match) => Number(match[1]));
  const hit = rows.find((row) => row.id === ids[0]);
  expect(hit?.state).toBe('archived');
  const words = String(call!['query']).toLowerCase().split(' ');
  expect(words.filter((word) => !textOfParts(hit!.parts).toLowerCase().includes(word))).toEqual([]);
});

test('B13 the call that a stub names finds the result that it stands for', async () => {
  const reader: Tool = {
    repeatable: true,
    schema: { name: 'read_file', description: 'reads', parameters: { type: 'object', properties: {} } },
    run: (input) =>
      Promise.resolve({ text: `quartz-${String(input['path'])} ${filler}${filler}`, isError: false }),
  };
  await using world = await openTurnWorld({
    script: (request) => {
      const asked = request.messages.findLast((message) => message.text.includes('Read '));
      const number = /Read (\d+)/.exec(asked?.text ?? '')?.[1] ?? '0';
      if (request.messages.at(-1)!.toolResults.length > 0) return { text: `Noted ${number}.` };
      return {
        toolCalls: [{ id: `call-${number}`, name: 'read_file', arguments: { path: `file${number}` } }],
      };
    },
    window: 16_000,
    config: 'compression: {background: false}',
    tools: [reader],
  });

  await talk(
    world,
    Array.from({ length: 30 }, (_, index) => `Read ${index + 1}, please.`),
  );

  const rows = await world.rows();
  const stub = rows.find((row) => row.state === 'live' && textOfParts(row.parts).startsWith('[Old result: '));
  const [call] = callsIn(textOfParts(stub!.parts));
  const answer = await run(world, call!);
  expect(answer).toContain(`(id ${stub!.replaces}): `);
});
