import { GatewayError, parseConfig, setConfigValue } from '@palimpsest/core';
import { expect, test } from 'vitest';

const set = (text: string, key: string, value: string): string =>
  setConfigValue(text, { key, value }, { file: 'config.yaml', engines: ['compressor', 'lcm'] });

function refusal(text: string, key: string, value: string): string {
  try {
    set(text, key, value);
    return '';
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    return (thrown as GatewayError).message;
  }
}

const written = `# our bot
model:
    provider: anthropic   # the fast one

compression:
    # half of the window
    threshold:   0.50  # as agreed
    in_place: true

platforms: {telegram: {enabled: false}}
`;

test('a value that stands there is exchanged and every other byte stays', () => {
  expect(set(written, 'compression.threshold', '0.35')).toBe(written.replace('0.50', '0.35'));
  expect(set(written, 'model.provider', 'openrouter')).toBe(written.replace('anthropic', 'openrouter'));
});

test('a new key goes to the end of its section, in the indentation of the file, and comments stay', () => {
  expect(set(written, 'compression.codex_gpt55_autoraise', 'false')).toBe(
    written.replace('    in_place: true\n', '    in_place: true\n    codex_gpt55_autoraise: false\n'),
  );
});

test('a new section goes to the end of the file; an empty file becomes one', () => {
  expect(set(written, 'context.engine', 'lcm')).toBe(`${written}context:\n    engine: lcm\n`);
  expect(set('', 'compression.tail_mode', 'legacy')).toBe('compression:\n  tail_mode: legacy\n');
  expect(set('# nothing yet\n', 'timezone', 'Europe/Berlin')).toBe(
    '# nothing yet\ntimezone: Europe/Berlin\n',
  );
});

test('a key inside of brackets is changed inside of them', () => {
  const text = set(written, 'platforms.telegram.enabled', 'true');

  expect(parseConfig(text, 'config.yaml').platforms.telegram.enabled).toBe(true);
  expect(text).toContain('threshold: 0.50 # as agreed');
});

test('an empty section, a file without a last line end, lists and long texts are written behind', () => {
  expect(set('compression:\n  # later\ntimezone: UTC', 'compression.in_place', 'false')).toBe(
    'compression:\n  in_place: false\n  # later\ntimezone: UTC',
  );
  expect(set('timezone: UTC', 'server.port', '80')).toBe('timezone: UTC\nserver:\n  port: 80\n');
  expect(
    set(
      'platforms:\n  discord:\n    allowed_users:\n      - 5\n      - 6\n',
      'platforms.discord.enabled',
      'false',
    ),
  ).toBe('platforms:\n  discord:\n    allowed_users:\n      - 5\n      - 6\n    enabled: false\n');
  const words = 'You are kind: always. '.repeat(20).trim();
  expect(
    parseConfig(set('', 'agent.instructions', JSON.stringify(`${words}\n#1`)), 'x').agent.instructions,
  ).toBe(`${words}\n#1`);
});

test('names of models may have dots, and lists and ids keep every digit', () => {
  const named = set('', 'compression.model_thresholds.glm-5.2', '0.4');
  const allowed = set('', 'platforms.discord.allowed_users', '[700000000000000001]');

  expect(parseConfig(named, 'config.yaml').compression.model_thresholds).toEqual({ 'glm-5.2': 0.4 });
  expect(parseConfig(allowed, 'config.yaml').platforms.discord.allowed_users).toEqual(['700000000000000001']);
});

test('what is no config is refused with what is allowed', () => {
  expect(refusal(written, 'compression.threshold', '50')).toBe(
    'config.yaml:7: compression.threshold: 50 is not accepted; allowed: a number from 0 to 1.',
  );
  expect(refusal(written, 'compression.treshold', '0.5')).toMatch(
    /compression\.treshold: unknown key; allowed here: enabled,/,
  );
  expect(refusal(written, 'context.engine', 'lmc')).toContain(
    '"lmc" is not accepted; allowed: compressor, lcm.',
  );
  expect(refusal(written, 'compression.threshold', '{a')).toBe(
    'compression.threshold: "{a" is no YAML value; put a text with special characters into quotes.',
  );
  expect(refusal(written, 'model.provider.name', 'x')).toBe(
    'model.provider.name: what stands above it in the file is no section.',
  );
  expect(refusal('a: b: c\n', 'timezone', 'UTC')).toMatch(/^config\.yaml:1: not valid YAML: /);
  expect(refusal(written, '', 'x')).toBe('"" is no key; write it as section.key.');
});

test('a value that was wrong can be set right', () => {
  expect(set('compression:\n  threshold: 50 # percent\n', 'compression.threshold', '0.5')).toBe(
    'compression:\n  threshold: 0.5 # percent\n',
  );
});
