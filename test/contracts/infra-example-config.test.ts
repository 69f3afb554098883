import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configSchema, defaultConfig, exampleConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const written = readFileSync(
  fileURLToPath(new URL('../../infra/config.example.yaml', import.meta.url)),
  'utf8',
);

test('the example config is what the schema says: palimpsest config example makes it', () => {
  expect(written).toBe(exampleConfig());
});

test('it is accepted as it stands, and means the defaults', () => {
  expect(configSchema.parse(parse(written))).toEqual(defaultConfig());
});

test('every key of the schema stands in it with an explanation', () => {
  const unexplained: string[] = [];
  let keys = 0;
  const walk = (shape: unknown, path: string): void => {
    const { properties, additionalProperties, description } = shape as {
      properties?: Record<string, unknown>;
      additionalProperties?: { properties?: unknown };
      description?: string;
    };
    for (const [key, below] of Object.entries(properties ?? {}))
      walk(below, path === '' ? key : `${path}.${key}`);
    if (typeof additionalProperties === 'object' && additionalProperties.properties)
      walk(additionalProperties, `${path}.NAME`);
    if (properties) return;
    keys++;
    if (!description && !path.endsWith('.action')) unexplained.push(path);
    expect(written).toContain(`${path.split('.').at(-1)}:`);
  };

  walk(z.toJSONSchema(configSchema, { unrepresentable: 'any' }), '');

  expect(keys).toBeGreaterThan(150);
  expect(unexplained).toEqual([]);
});
