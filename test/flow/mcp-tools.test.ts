/** Tools of real MCP servers through a whole turn: message → worker → model → tool → answer. */
import type { ScriptRequest } from '@palimpsest/testkit';
import { textOfParts } from '@palimpsest/core';
import { expect, test, vi } from 'vitest';
import { startHttpToolServer } from '../support/mcp/http-server.ts';
import { stdioServerYaml } from '../support/mcp/tool-servers.ts';
import { openTurnWorld } from '../support/turn-world.ts';

const soon = { timeout: 15_000, interval: 50 };

/** The model calls the tool that a message names (`odd_echo {"a":1}`) and answers with what it got. */
function callWhatIsNamed(seen: ScriptRequest[] = []) {
  return (request: ScriptRequest) => {
    seen.push(request);
    const last = request.messages.at(-1)!;
    const [result] = last.toolResults;
    if (result) return { text: `got: ${result.text}` };
    const [, name = '', input = '{}'] = /(\w+_\w+) ?(\{.*\})?\s*$/.exec(last.text) ?? [];
    return { toolCalls: [{ name, arguments: JSON.parse(input) as unknown }] };
  };
}

test('a tool of a program and one of a server elsewhere are called in a turn', async () => {
  await using far = await startHttpToolServer('sesame');
  await using world = await openTurnWorld({
    script: callWhatIsNamed(),
    config: `mcp_servers: { odd: ${stdioServerYaml()}, far: { url: "${far.url}", headers: { x-key: "\${FAR_KEY}" } } }`,
    variables: { FAR_KEY: 'sesame' },
  });

  await world.say('odd_echo {"word":"here"}');
  await world.hear(1);
  await world.say('far_echo {"word":"there"}');

  expect(await world.hear(2)).toEqual(['got: echo: {"word":"here"}', 'got: echo: {"word":"there"}']);
  expect(world.model.violations).toEqual([]);
});

test('a tool that dies, hangs or freezes costs its own result; the turn is answered and the next ones too', async () => {
  await using world = await openTurnWorld({
    script: callWhatIsNamed(),
    config: `mcp_servers: { odd: ${stdioServerYaml('timeout_seconds: 1')} }`,
  });

  await world.say('odd_die');
  await world.hear(1);
  await vi.waitFor(() => expect(world.toolServers.status()[0]?.state).toBe('ready'), soon);
  await world.say('odd_hang');
  await world.hear(2);
  await world.say('odd_freeze');
  await world.hear(3);
  await vi.waitFor(() => expect(world.toolServers.status()[0]?.state).toBe('down'), soon);
  await vi.waitFor(() => expect(world.toolServers.status()[0]?.state).toBe('ready'), soon);
  await world.say('odd_echo');

  expect(await world.hear(4)).toEqual([
    'got: the tool server "odd" ended while odd_die ran; it is started again',
    'got: odd_hang gave no result within 1 s',
    'got: odd_freeze gave no result within 1 s',
    'got: echo: {}',
  ]);
  expect(world.model.violations).toEqual([]);
});

test('the tools of a session stay byte for byte the same when a server adds one; /reset brings it', async () => {
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: callWhatIsNamed(seen),
    config: `mcp_servers: { odd: ${stdioServerYaml()} }`,
  });

  await world.say('odd_echo');
  await world.hear(1);
  await world.say('odd_grow');
  await world.hear(2);
  await vi.waitFor(
    async () =>
      expect((await world.toolServers.offered()).map(({ schema }) => schema.name)).toContain('odd_grown'),
    soon,
  );
  await world.say('odd_echo');
  await world.hear(3);
  await world.say('/reset');
  await world.hear(4);
  await world.say('odd_grown');
  const heard = await world.hear(5);

  const tools = seen.map(({ raw }) => JSON.stringify((raw as { tools: unknown }).tools));
  expect(new Set(tools.slice(0, 6)).size).toBe(1);
  expect(seen[0]?.tools).not.toContain('odd_grown');
  expect(seen.at(-1)?.tools).toContain('odd_grown');
  expect(heard.at(-1)).toBe('got: grown: {}');
  expect(world.model.violations).toEqual([]);
});

test('a switch of the engine writes the prompt anew and brings what a server added meanwhile', async () => {
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: callWhatIsNamed(seen),
    config: `mcp_servers: { odd: ${stdioServerYaml()} }`,
  });

  await world.say('odd_grow');
  await world.hear(1);
  await vi.waitFor(
    async () =>
      expect((await world.toolServers.offered()).map(({ schema }) => schema.name)).toContain('odd_grown'),
    soon,
  );
  await world.say('/engine lcm');
  await world.hear(2);
  await world.say('odd_grown');

  expect((await world.hear(3)).at(-1)).toBe('got: grown: {}');
  expect(seen[0]?.tools).not.toContain('odd_grown');
  expect(seen.at(-1)?.tools).toContain('odd_grown');
});

test('a picture in a result is referenced in the transcript, and a file beside it can be read', async () => {
  const seen: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: (request) => {
      const last = request.messages.at(-1)!.toolResults.at(0)?.text ?? '';
      const id = /read_payload with id "(\w+)"/.exec(last)?.[1];
      if (id) return { toolCalls: [{ name: 'read_payload', arguments: { id } }] };
      return callWhatIsNamed(seen)(request);
    },
    config: `mcp_servers: { odd: ${stdioServerYaml()} }`,
  });

  await world.say('odd_picture');

  // The server meant the picture for the person, and the local chat takes no files.
  expect(await world.hear(2)).toEqual([
    'ℹ️ I have the file “image.png” for you, but it cannot be sent here.',
    'got: The cellar door is green.\n[end]',
  ]);
  const result = (await world.rows()).find((row) => row.role === 'tool');
  expect(textOfParts(result!.parts)).toContain(
    '[image, image/png, 15 bytes, kept as payload 404976e991587354',
  );
});

test('a tool that nobody in a chat has a right to is not offered there, and a call to it is answered as unknown', async () => {
  await using world = await openTurnWorld({
    script: callWhatIsNamed(),
    config: `
tools: { allow: { admin: ["odd_e*"] } }
mcp_servers: { odd: ${stdioServerYaml()} }`,
  });

  await world.say('odd_echo');
  await world.hear(1);
  await world.say('odd_pid');

  expect(await world.hear(2)).toEqual([
    'got: echo: {}',
    expect.stringMatching(
      /^got: there is no tool "odd_pid"; the tools are session_search, read_payload, odd_echo/,
    ),
  ]);
});
