/** The compose file names only what there is: our commands, our variables, files beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const infra = fileURLToPath(new URL('../../infra/', import.meta.url));
const repository = join(infra, '..');

interface Service {
  image?: string;
  command?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  build?: { context: string; dockerfile: string };
  pull_policy?: string;
  init?: boolean;
  healthcheck?: { test: string[] };
}

const compose = parse(readFileSync(join(infra, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

test('it starts the database, the queue, our services and their watchers', () => {
  expect(Object.keys(compose.services)).toEqual([
    'postgres',
    'redis',
    'migrate',
    'gateway',
    'worker',
    'dashboard',
    'prometheus',
    'grafana',
  ]);
  expect(compose.services['redis']?.command?.join(' ')).toContain(
    '--appendonly yes --maxmemory-policy noeviction',
  );
});

test('our services run commands that exist, with variables that are read', () => {
  const run = readFileSync(join(repository, 'apps/cli/src/commands/run.ts'), 'utf8');
  const settings = ['settings.ts', 'read-variables.ts']
    .map((file) => readFileSync(join(repository, 'apps/cli/src', file), 'utf8'))
    .join('\n');
  const ours = Object.values(compose.services).filter(({ image }) => image === 'palimpsest');

  expect(ours).toHaveLength(4);
  for (const { command, environment } of ours) {
    expect(run).toContain(`.command('${command?.[0]}')`);
    for (const variable of Object.keys(environment ?? {})) expect(settings).toContain(`'${variable}'`);
  }
});

test('our image is built once and never looked for elsewhere', () => {
  const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'palimpsest');
  const building = ours.filter(([, { build }]) => build !== undefined);

  expect(building.map(([name, { build }]) => [name, build])).toEqual([
    ['migrate', { context: '..', dockerfile: 'infra/Dockerfile' }],
  ]);
  for (const [, { pull_policy }] of ours) expect(pull_policy).toBe('never');
});

test('what tool servers leave behind is taken in', () => {
  for (const { image, init } of Object.values(compose.services))
    if (image === 'palimpsest') expect(init).toBe(true);
});

test('the database counts as there only when it answers by address, as our services ask it', () => {
  expect(compose.services['postgres']?.healthcheck?.test.join(' ')).toContain('pg_isready -h 127.0.0.1 ');
});

test('each command that is told reads the passwords: .env stands in another folder than the compose file', () => {
  const told = ['README.md', 'infra/compose.yaml'].flatMap(
    (file) => readFileSync(join(repository, file), 'utf8').match(/docker compose .*/g) ?? [],
  );

  expect(told).toHaveLength(4);
  for (const command of told)
    expect(command).toMatch(/^docker compose --env-file \.env -f infra\/compose\.yaml /);
});

test('files that are mounted exist, and volumes are declared', () => {
  for (const volume of Object.values(compose.services).flatMap(({ volumes = [] }) => volumes)) {
    const [from = ''] = volume.split(':');
    if (from.startsWith('./')) expect([from, existsSync(join(infra, from))]).toEqual([from, true]);
    else expect(Object.keys(compose.volumes)).toContain(from);
  }
});

test('every container of ours is watched, however many a service has', () => {
  const text = readFileSync(join(infra, 'prometheus/prometheus.yml'), 'utf8');
  const { scrape_configs: jobs } = parse(text) as {
    scrape_configs: { static_configs?: unknown; dns_sd_configs?: Record<string, unknown>[] }[];
  };
  const serving = Object.entries(compose.services).filter(
    ([name, { image }]) => image === 'palimpsest' && name !== 'migrate',
  );

  expect(jobs.map((job) => job.static_configs)).toEqual([undefined]);
  expect(jobs[0]?.dns_sd_configs).toEqual([
    { names: serving.map(([name]) => name), type: 'A', port: 8787, refresh_interval: '15s' },
  ]);
  for (const [, { environment }] of serving) expect(environment?.['PORT']).toBe('8787');
});

test('the config of the containers is accepted', () => {
  const text = readFileSync(join(infra, 'compose.config.yaml'), 'utf8');
  expect(configSchema.parse(parse(text)).server.host).toBe('0.0.0.0');
});
