import { defaultConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { clockFinding, ctypeFinding } from '../../apps/cli/src/doctor/database-findings.ts';
import { telegramFindings } from '../../apps/cli/src/doctor/platform-findings.ts';
import { redisFindings } from '../../apps/cli/src/doctor/queue-finding.ts';

test.each([
  [1_900, 'fine', 'this machine and the database agree within 1.9 s'],
  [
    2_100,
    'warning',
    'this machine is 2.1 s behind the database: set both by NTP; waits and leases go by the database, times that people read and ages in alerts by this machine',
  ],
  [
    -60_000,
    'warning',
    'this machine is 60.0 s ahead of the database: set both by NTP; waits and leases go by the database, times that people read and ages in alerts by this machine',
  ],
])('clocks that differ by %i ms: %s', (differenceMs, state, words) => {
  expect(clockFinding(differenceMs)).toEqual({ what: 'clock', state, words });
});

test.each([
  ['C.UTF-8', 'fine'],
  ['de_DE.UTF-8', 'fine'],
  ['C', 'warning'],
  ['POSIX', 'warning'],
])('a database with the characters of %s: %s', (ctype, state) => {
  expect(ctypeFinding(ctype).state).toBe(state);
});

test('a webhook that Telegram could not reach lately, and updates that pile up, are said; an old error is over', () => {
  const section = {
    ...defaultConfig().platforms.telegram,
    mode: 'webhook' as const,
    webhook_url: 'https://bot.example/telegram/webhook',
  };
  const now = new Date('2026-11-30T12:00:00Z');
  const probe = (at: string) => ({
    kind: 'answers' as const,
    username: 'bot',
    hearsAll: true,
    webhook: {
      url: 'https://bot.example/telegram/webhook',
      lastProblem: { at: new Date(at), words: 'Wrong response from the webhook: 502 Bad Gateway' },
    },
    pending: 101,
  });

  const recent = telegramFindings(probe('2026-11-30T11:30:00Z'), section, now);
  const old = telegramFindings(probe('2026-11-30T10:00:00Z'), section, now);

  expect(recent.slice(2).map(({ words }) => words)).toEqual([
    'Telegram could not deliver to the webhook at 2026-11-30T11:30:00.000Z: Wrong response from the webhook: 502 Bad Gateway; it must reach bot.example over https',
    '101 updates wait at Telegram: look whether a gateway runs (/readyz)',
  ]);
  expect(old.slice(2).map(({ words }) => words)).toEqual([
    '101 updates wait at Telegram: look whether a gateway runs (/readyz)',
  ]);
});

test('a Redis with few connections left is warned of; one that does not tell its snapshots is not accused', () => {
  const findings = redisFindings({
    version: '7.0.15',
    evictionPolicy: 'noeviction',
    appendOnly: false,
    snapshots: null,
    clients: 81,
    mostClients: 100,
  });

  expect(findings.map(({ state, words }) => `${state}: ${words}`)).toEqual([
    'fine: Redis 7.0.15 answers',
    'fine: Redis is without appendonly and does not say whether it makes snapshots',
    'warning: 81 of 100 connections of Redis are taken: raise maxclients',
  ]);
});
