/** The tools of a session: ours, then those of tool servers as they were fixed, each call judged by who asked. */
import { parseConfig, type ServerTool, type Session, type Tool, type ToolServers } from '@palimpsest/core';
import { sessionTools } from '@palimpsest/agent';
import { expect, test } from 'vitest';

const own: Tool = {
  schema: { name: 'session_search', description: 'ours', parameters: { type: 'object' } },
  repeatable: true,
  run: () => Promise.resolve({ text: 'ours', isError: false }),
};

test('what a server offers is fixed with the prompt and stays, whatever it offers later', async () => {
  const world = fakeWorld(['read', 'write']);
  const begun = session({ systemPrompt: null });

  const fixed = await world.tools.fixTools(begun);
  world.offer(['read', 'remove']);
  const later = await world.tools.toolsFor({ ...begun, systemPrompt: 'written' });
  const anew = await world.tools.fixTools(begun);

  expect(namesOf(fixed)).toEqual(['session_search', 'files_read', 'files_write']);
  expect(namesOf(later)).toEqual(['session_search', 'files_read', 'files_write']);
  expect(namesOf(anew)).toEqual(['session_search', 'files_read', 'files_remove']);
});

test('a turn of an admin and somebody else may not do what the admin alone may', async () => {
  const world = fakeWorld(['write'], 'tools: { admins: { telegram: [7] } }');
  const group = session({ platform: 'telegram', chatKind: 'group', systemPrompt: null });
  const write = (await world.tools.toolsFor(group)).at(-1)!;
  const scope = { session: group, turnId: 't', callId: 'c', signal: new AbortController().signal };

  const alone = await write.run({}, { ...scope, senderIds: ['7'] });
  const together = await write.run({}, { ...scope, senderIds: ['7', '9'] });

  expect(alone).toEqual({ text: 'called write', isError: false });
  expect(together).toEqual({
    text: 'files_write may not be used here: the people who asked for this have the rights of tier "group", which does not allow it. Go on without it and say so.',
    isError: true,
  });
});

test('a session that began before there were servers has none until its prompt is written anew', async () => {
  const world = fakeWorld(['read']);
  const old = session({ systemPrompt: 'written' });

  expect(namesOf(await world.tools.toolsFor(old))).toEqual(['session_search']);
  expect(namesOf(await world.tools.toolsFor({ ...old, systemPrompt: null }))).toEqual([
    'session_search',
    'files_read',
  ]);
});

test('without a server in the config nothing is read or kept', async () => {
  const world = fakeWorld(['read'], '', '');

  expect(namesOf(await world.tools.toolsFor(session({ systemPrompt: 'written' })))).toEqual([
    'session_search',
  ]);
  expect(namesOf(await world.tools.fixTools(session({ systemPrompt: null })))).toEqual(['session_search']);
  expect(world.looks()).toBe(0);
});

function fakeWorld(names: readonly string[], more = '', servers = 'mcp_servers: { files: { command: x } }') {
  let offered = names.map(tool);
  let looks = 0;
  const kept = new Map<string, readonly ServerTool[]>();
  const toolServers: ToolServers = {
    offered: () => Promise.resolve(offered),
    call: (called) => Promise.resolve({ text: `called ${called.name}`, isError: false }),
    status: () => [],
    close: () => Promise.resolve(),
  };
  const lists = {
    read: (id: string) => Promise.resolve((looks++, kept.get(id) ?? null)),
    fix: (of: { id: string }, tools: readonly ServerTool[]) =>
      Promise.resolve((looks++, void kept.set(of.id, tools))),
  };
  const config = parseConfig(`${more}\n${servers}\n`, 'test');
  return {
    tools: sessionTools({ own: [own], servers: toolServers, lists, config }),
    offer: (others: readonly string[]) => void (offered = others.map(tool)),
    looks: () => looks,
  };
}

function tool(name: string): ServerTool {
  const schema = { name: `files_${name}`, description: name, parameters: { type: 'object' } };
  return { server: 'files', name, schema, repeatable: false };
}

function session(of: Partial<Session>): Session {
  return { id: 's1', epoch: 1, platform: 'local', chatKind: 'direct', ...of } as Session;
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ schema }) => schema.name);
}
