import { expect, test } from 'vitest';
import { GatewayError, parseConfig } from '@palimpsest/core';

/** What an operator reads about a config text; empty when it is accepted. */
function complaint(text: string, engines?: readonly string[]): string {
  try {
    parseConfig(text, 'config.yaml', { engines });
    return '';
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    expect((thrown as GatewayError).code).toBe('config_invalid');
    return (thrown as GatewayError).message;
  }
}

test('an unknown key is named with the line it stands on and the keys that are allowed there', () => {
  expect(complaint('# pages\nserver:\n  host: 127.0.0.1\n  prot: 8787\n')).toBe(
    'config.yaml:4: server.prot: unknown key; allowed here: host, port, public_host.',
  );
  expect(complaint('platforms:\n  telgram:\n    enabled: true\n')).toBe(
    'config.yaml:2: platforms.telgram: unknown key; allowed here: telegram, discord.',
  );
  expect(complaint('compression:\n  small_context_floor:\n    belo: 5\n')).toBe(
    'config.yaml:3: compression.small_context_floor.belo: unknown key; allowed here: below, threshold.',
  );
});

test('a secret in the file is sent to .env, and its value is not repeated', () => {
  const said = complaint('model:\n  api_key: sk-very-secret\n');

  expect(said).toBe(
    'config.yaml:2: model.api_key: unknown key; allowed here: provider, name, base_url, api_mode, codex_command, context_length, max_tokens, choices, fallback, ask_provider, table, daily_budget.' +
      ' Keys, tokens and passwords stand in .env (ANTHROPIC_API_KEY, TELEGRAM_BOT_TOKEN …), never here.',
  );
});

test.each([
  [
    'server:\n  port: 99999',
    '2: server.port: 99999 is not accepted; allowed: a whole number from 0 to 65535.',
  ],
  [
    'server:\n  port: "abc"',
    '2: server.port: "abc" is not accepted; allowed: a whole number from 0 to 65535.',
  ],
  ['server:\n  port: 5.5', '2: server.port: 5.5 is not accepted; allowed: a whole number from 0 to 65535.'],
  [
    'model:\n  provider: antropic',
    '2: model.provider: "antropic" is not accepted; allowed: auto, anthropic, openai, openai-codex, openrouter, custom, offline.',
  ],
  [
    'model:\n  context_length: -5',
    '2: model.context_length: -5 is not accepted; allowed: a whole number, 1000 or more, or null.',
  ],
  [
    'model:\n  name: 5',
    '2: model.name: 5 is not accepted; allowed: a text (in quotes if it looks like a number), or null.',
  ],
  [
    'model:\n  base_url: here',
    '2: model.base_url: "here" is not accepted; allowed: a URL such as https://example.org/path, or null.',
  ],
  [
    'compression:\n  enabled: yes please',
    '2: compression.enabled: "yes please" is not accepted; allowed: true or false.',
  ],
  [
    'compression:\n  threshold: 50',
    '2: compression.threshold: 50 is not accepted; allowed: a number from 0 to 1.',
  ],
  [
    'compression:\n  target_ratio: .nan',
    '2: compression.target_ratio: NaN is not accepted; allowed: a number.',
  ],
  ['compression:\n  in_place: 1', '2: compression.in_place: 1 is not accepted; allowed: true or false.'],
  [
    'compression:\n  model_thresholds:\n    gpt: 5',
    '3: compression.model_thresholds.gpt: 5 is not accepted; allowed: a number from 0 to 1.',
  ],
  [
    'timezone: Mars/Olympus',
    '1: timezone: "Mars/Olympus" is not accepted; allowed: an IANA time zone such as Europe/Berlin.',
  ],
  [
    'server:',
    '1: server: null is not accepted; allowed: a section with the keys host, port, public_host (or leave the line out).',
  ],
  [
    'platforms:\n  discord:\n    allowed_users: [5, bob]',
    '3: platforms.discord.allowed_users.1: "bob" is not accepted; allowed: numeric ids; names are never compared, /whoami shows the id.',
  ],
])('the value in %j is shown with what is allowed', (text, said) => {
  expect(complaint(text)).toBe(`config.yaml:${said}`);
});

test('a name in a list of ids, also an allowed chat, is refused: names are never compared', () => {
  expect(complaint('platforms:\n  telegram:\n    allowed_chats: ["@group"]\n')).toBe(
    'config.yaml:3: platforms.telegram.allowed_chats.0: "@group" is not accepted; allowed: numeric ids; names are never compared, /whoami shows the id.',
  );
});

test('webhook mode without an address says which key is missing and what it holds', () => {
  expect(complaint('platforms:\n  telegram:\n    mode: webhook\n')).toBe(
    'config.yaml:2: platforms.telegram.webhook_url: is missing; needed: with mode: webhook the public https address that Telegram calls, ending in /telegram/webhook.',
  );
  expect(
    complaint(
      'platforms:\n  telegram:\n    mode: webhook\n    webhook_url: https://example.org/telegram/webhook\n',
    ),
  ).toBe('');
});

test('every problem of a file is told at once, a line each', () => {
  expect(complaint('worker:\n  concurrency: 1.5\n  lease_seconds: 0\n').split('\n')).toEqual([
    'config.yaml:2: worker.concurrency: 1.5 is not accepted; allowed: a whole number from 1 to 500.',
    'config.yaml:3: worker.lease_seconds: 0 is not accepted; allowed: a number from 5 to 600.',
  ]);
});

test.each([
  ['a: b: c', '1: not valid YAML: a second ": " on the line; put the value into quotes.'],
  ['server:\n\tport: 1', '2: not valid YAML: a tab as indentation; use blanks.'],
  [
    'server:\n  port: 1\nserver:\n  port: 2',
    '3: not valid YAML: this key stands twice in its section; keep one.',
  ],
  [
    'timezone: UTC\nserver: *pages',
    '2: not valid YAML: a * here names no & anchor; put a text that begins with * into quotes.',
  ],
  [
    'timezone: UTC\n---\nmodel: {}',
    '2: not valid YAML: a second document begins ("---"); the file is one document.',
  ],
  [
    'server: {port: 1\nmodel: {}',
    '2: not valid YAML: the indentation does not fit the lines above, or a bracket is not closed.',
  ],
])('broken YAML is told in words, with its line: %j', (text, said) => {
  expect(complaint(text)).toBe(`config.yaml:${said}`);
});

test('a file that is no mapping is refused', () => {
  expect(complaint('just words')).toMatch(
    /^config\.yaml:1: \(top\): "just words" is not accepted; allowed: a section with the keys timezone, server/,
  );
  expect(complaint('- a\n- b')).toMatch(/^config\.yaml:1: \(top\): \["a","b"\] is not accepted/);
});

test('the password of an address and the end of a long value are not shown', () => {
  const said = complaint('platforms:\n  telegram:\n    api_root: "http://user:geheim@host:xx/"\n');
  expect(said).toContain('"http://***@host:xx/" is not accepted');
  expect(said).not.toContain('geheim');
  expect(complaint(`model:\n  provider: ${'x'.repeat(500)}`).length).toBeLessThan(200);
});

test('an engine that is not installed is refused with the ones that are', () => {
  expect(complaint('context:\n  engine: lmc\n', ['compressor', 'lcm'])).toBe(
    'config.yaml:2: context.engine: "lmc" is not accepted; allowed: compressor, lcm.',
  );
  expect(complaint('context:\n  engine: lcm\n', ['compressor', 'lcm'])).toBe('');
});

test('ids keep every digit, with or without quotes: those of Discord are larger than a number holds', () => {
  const config = parseConfig(
    'platforms:\n  discord:\n    allowed_users: [700000000000000001, "700000000000000003"]\n    allowed_chats: [-5]\n',
    'config.yaml',
  );

  expect(config.platforms.discord.allowed_users).toEqual(['700000000000000001', '700000000000000003']);
  expect(config.platforms.discord.allowed_chats).toEqual(['-5']);
});

test('an empty file, and one of comments only, is a config of defaults', () => {
  expect(parseConfig('', 'config.yaml').server.port).toBe(8787);
  expect(parseConfig('# nothing yet\n', 'config.yaml').server.host).toBe('127.0.0.1');
});
