/** Who may use which tool of a tool server. */
import { parseConfig, type ServerTool, type Session } from '@palimpsest/core';
import { isOffered, mayUse, tierOfTurn } from '@palimpsest/agent';
import { expect, test } from 'vitest';

const direct = { platform: 'telegram', chatKind: 'direct' } as const;
const group = { platform: 'telegram', chatKind: 'group' } as const;
const local = { platform: 'local', chatKind: 'direct' } as const;
const withAdmin = parseConfig('tools: { admins: { telegram: [7], discord: [8] } }', 'test');

test.each([
  ['an admin alone', direct, ['7'], 'admin'],
  ['somebody else alone', direct, ['9'], 'user'],
  ['an admin in a group, whose message stands alone', group, ['7'], 'admin'],
  ['an admin and somebody else in one turn of a group', group, ['7', '9'], 'group'],
  ['somebody else in a group', group, ['9'], 'group'],
  ['nobody known in a group', group, [], 'group'],
  ['nobody known in a direct chat', direct, [], 'user'],
  ['an id that is an admin on another platform', direct, ['8'], 'user'],
  ['the local web chat', local, ['local'], 'admin'],
] as const)('%s: a turn has the rights of its least trusted sender', (_who, session, senderIds, tier) => {
  expect(
    tierOfTurn({ session: session as Pick<Session, 'platform' | 'chatKind'>, senderIds }, withAdmin),
  ).toBe(tier);
});

const files = (more: string) => parseConfig(`mcp_servers: { files: { command: x, ${more} } }`, 'test');
const read: ServerTool = tool('read_file');
const write: ServerTool = tool('write_file');

test('without a word in the config admins and users may use a tool, people in groups may not', () => {
  const config = files('');

  expect((['admin', 'user', 'group'] as const).map((tier) => mayUse(read, tier, config))).toEqual([
    true,
    true,
    false,
  ]);
});

test('lists of a server go by its own names and beat the common ones', () => {
  const config = files('allow: { user: [read_*], group: [read_file] }');

  expect(mayUse(write, 'admin', config)).toBe(true);
  expect(mayUse(write, 'user', config)).toBe(false);
  expect(mayUse(read, 'user', config)).toBe(true);
  expect(mayUse(read, 'group', config)).toBe(true);
});

test('the common lists go by the names a model sees', () => {
  const config = parseConfig(
    'tools: { allow: { user: ["files_read_*"] } }\nmcp_servers: { files: { command: x } }',
    'test',
  );

  expect(mayUse(read, 'user', config)).toBe(true);
  expect(mayUse(write, 'user', config)).toBe(false);
});

test.each([
  ['a tool the server is not asked for', 'tools: [write_*]'],
  ['a server that is switched off', 'enabled: false'],
])('%s is for nobody', (_what, more) => {
  expect(mayUse(read, 'admin', files(more))).toBe(false);
});

test('a server that is no longer in the config gives nothing', () => {
  expect(mayUse(read, 'admin', parseConfig('', 'test'))).toBe(false);
});

test('a prompt names what somebody there may call', () => {
  const config = files('allow: { group: [read_*] }');

  expect(isOffered(write, direct, config)).toBe(true);
  expect(isOffered(read, group, config)).toBe(true);
  expect(isOffered(write, group, config)).toBe(false);
});

test('where there are admins, a group is told of their tools too, and the call is judged by who asked', () => {
  const config = { ...files(''), tools: withAdmin.tools };

  expect(isOffered(write, group, config)).toBe(true);
  expect(mayUse(write, tierOfTurn({ session: group, senderIds: ['9'] }, config), config)).toBe(false);
});

test.each([
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*bc', 'abcb', false],
  ['ab*ba', 'aba', false],
  ['*', '', true],
  ['.', 'x', false],
])('the pattern %s and the name %s: %s', (pattern, name, matches) => {
  const config = parseConfig(
    `mcp_servers: { files: { command: x, allow: { user: [${JSON.stringify(pattern)}] } } }`,
    'test',
  );

  expect(mayUse({ ...read, name }, 'user', config)).toBe(matches);
});

function tool(name: string): ServerTool {
  const schema = { name: `files_${name}`, description: name, parameters: { type: 'object' } };
  return { server: 'files', name, schema, repeatable: false };
}
