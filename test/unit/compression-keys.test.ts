/** The keys of `compression:` and `auxiliary.compression:` that operators know, each with its default and its range. */
import { defaultConfig, parseConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';

interface KeyFacts {
  key: string;
  standard: unknown;
  /** YAML of a value with what is held. */
  taken: readonly (readonly [yaml: string, held: unknown])[];
  refused: readonly string[];
}

const bool = (key: string, standard: boolean): KeyFacts => ({
  key,
  standard,
  taken: [
    ['true', true],
    ['false', false],
  ],
  refused: ['"yes"', '1', 'null'],
});

const keys: readonly KeyFacts[] = [
  bool('compression.enabled', true),
  {
    key: 'compression.threshold',
    standard: 0.5,
    taken: [
      ['0.0', 0],
      ['0.35', 0.35],
      ['1.0', 1],
    ],
    refused: ['-0.01', '1.01', '50', '"half"', 'null'],
  },
  {
    key: 'compression.model_thresholds',
    standard: {},
    taken: [['{glm-5.2: 0.40, "openai:gpt": 0.35}', { 'glm-5.2': 0.4, 'openai:gpt': 0.35 }]],
    refused: ['{glm-5.2: 40}', '0.4', '[0.4]'],
  },
  {
    key: 'compression.small_context_floor',
    standard: { below: 512_000, threshold: 0.75 },
    taken: [
      ['null', null],
      ['{below: 100000}', { below: 100_000, threshold: 0.75 }],
    ],
    refused: ['0.75', '{threshold: 75}'],
  },
  {
    key: 'compression.threshold_tokens',
    standard: null,
    taken: [
      ['200000', 200_000],
      ['0', null],
      ['-1', null],
      ['null', null],
    ],
    refused: ['"many"', '1.5'],
  },
  {
    key: 'compression.minimum_trigger_tokens',
    standard: 0,
    taken: [['64000', 64_000]],
    refused: ['-1', '1.5'],
  },
  {
    key: 'compression.target_ratio',
    standard: 0.2,
    // Outside of its range the nearest end holds.
    taken: [
      ['0.5', 0.5],
      ['0.05', 0.1],
      ['0.95', 0.8],
    ],
    refused: ['"0.2"', 'null'],
  },
  {
    key: 'compression.tail_mode',
    standard: 'lean',
    taken: [
      ['lean', 'lean'],
      ['legacy', 'legacy'],
    ],
    refused: ['fat', 'null'],
  },
  {
    key: 'compression.protect_last_n',
    standard: 20,
    taken: [
      ['1', 1],
      ['500', 500],
    ],
    refused: ['0', '2.5'],
  },
  { key: 'compression.protect_first_n', standard: 3, taken: [['3', 3]], refused: ['2', '4'] },
  bool('compression.protect_first_n_decay', false),
  {
    key: 'compression.min_tail_user_messages',
    standard: 1,
    taken: [
      ['1', 1],
      ['3', 3],
    ],
    refused: ['0', '1.5'],
  },
  {
    key: 'compression.idle_compact_after_seconds',
    standard: 0,
    taken: [
      ['0', 0],
      ['3600', 3_600],
    ],
    refused: ['-1', '0.5'],
  },
  bool('compression.codex_gpt55_autoraise', true),
  bool('compression.codex_gpt55_autoraise_notice', true),
  {
    key: 'compression.codex_app_server_auto',
    standard: 'native',
    taken: [
      ['native', 'native'],
      ['hermes', 'hermes'],
      // YAML 1.2: a word, not a switch.
      ['off', 'off'],
    ],
    refused: ['on', 'false'],
  },
  bool('compression.codex_responses_native', false),
  {
    key: 'compression.codex_responses_compact_threshold',
    standard: 200_000,
    taken: [['1', 1]],
    refused: ['0', '1.5'],
  },
  bool('compression.in_place', true),
  {
    key: 'auxiliary.compression.model',
    standard: null,
    taken: [
      ['claude-haiku-5-5', 'claude-haiku-5-5'],
      ['null', null],
    ],
    refused: ['5'],
  },
  {
    key: 'auxiliary.compression.provider',
    standard: 'auto',
    taken: ['auto', 'main', 'openrouter', 'nous', 'custom'].map((name) => [name, name] as const),
    refused: ['hermes', 'null'],
  },
  {
    key: 'auxiliary.compression.base_url',
    standard: null,
    taken: [
      ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
      ['null', null],
    ],
    refused: ['here'],
  },
];

test.each(keys)('$key has its default and its range', ({ key, standard, taken, refused }) => {
  const read = (yaml: string): unknown => valueAt(key, parseConfig(textOf(key, yaml), 'config.yaml'));

  expect(valueAt(key, defaultConfig())).toEqual(standard);
  expect(taken.map(([yaml]) => read(yaml))).toEqual(taken.map(([, held]) => held));
  for (const yaml of refused)
    expect(() => read(yaml), `${key}: ${yaml}`).toThrow(/^config\.yaml:\d: .* is not accepted; allowed: /);
});

test('a section of a config written for another release is refused by the key, not silently ignored', () => {
  expect(() => parseConfig('compression:\n  summary_model: x\n', 'config.yaml')).toThrow(
    'config.yaml:2: compression.summary_model: unknown key',
  );
});

function textOf(key: string, yaml: string): string {
  const names = key.split('.');
  const opened = names.slice(0, -1).map((name, depth) => `${'  '.repeat(depth)}${name}:\n`);
  return `${opened.join('')}${'  '.repeat(names.length - 1)}${names.at(-1)!}: ${yaml}\n`;
}

function valueAt(key: string, config: object): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
}
