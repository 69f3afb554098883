/** The keys of `tools` and `mcp_servers`. */
import { parseConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';

test('a server needs no more than a command or an address', () => {
  const { mcp_servers: servers } = parseConfig(
    'mcp_servers:\n  files: { command: npx, args: [-y, some-server] }\n  far: { url: "https://example.org/mcp" }\n',
    'config.yaml',
  );

  expect(servers['files']).toEqual({
    enabled: true,
    command: 'npx',
    args: ['-y', 'some-server'],
    cwd: null,
    env: {},
    url: null,
    headers: {},
    tools: ['*'],
    allow: { admin: null, user: null, group: null },
    timeout_seconds: 60,
    start_timeout_seconds: 20,
    max_result_characters: 1_000_000,
  });
  expect(servers['far']?.url).toBe('https://example.org/mcp');
});

test.each([['{}'], ['{ command: x, url: "https://example.org" }']])('%s is refused', (server) => {
  expect(() => parseConfig(`mcp_servers:\n  files: ${server}\n`, 'config.yaml')).toThrow(
    /config\.yaml:2: mcp_servers\.files\.command: .*either command .* or url .*, not both/,
  );
});

test('a secret in the file is refused, and the refusal does not show it', () => {
  const text =
    'mcp_servers:\n  far:\n    url: "https://example.org/mcp"\n    headers:\n      Authorization: Bearer abc123\n';

  expect(() => parseConfig(text, 'config.yaml')).toThrow(
    'config.yaml:5: mcp_servers.far.headers.Authorization: must be a reference such as ${NAME} to a variable in .env; secrets never stand here.',
  );
});

test('a reference to the environment is taken as it stands', () => {
  const text =
    'mcp_servers:\n  far: { url: "https://example.org/mcp", headers: { Authorization: "Bearer ${FAR_TOKEN}" } }\n';

  expect(parseConfig(text, 'config.yaml').mcp_servers['far']?.headers).toEqual({
    Authorization: 'Bearer ${FAR_TOKEN}',
  });
});

test.each([['Files'], ['a b'], ['7up']])('a server cannot be named %s', (name) => {
  expect(() => parseConfig(`mcp_servers:\n  ${name}: { command: x }\n`, 'config.yaml')).toThrow(
    /mcp_servers/,
  );
});
