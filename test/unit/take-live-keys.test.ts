/** Which keys of a config that was read anew hold at once. */
import { expect, test } from 'vitest';
import { parseConfig, takeLiveKeys } from '@palimpsest/core';

const read = (yaml: string) => parseConfig(yaml, 'test');

test('access, groups and instructions are taken into the config in use; everything else waits', () => {
  const used = read('platforms: {telegram: {allowed_users: [1]}}');
  const next = read(`
platforms: {telegram: {allowed_users: [1, 2], file_over_parts: 9}, discord: {chats: {'7': {require_mention: false}}}}
tools: {admins: {discord: [5]}}
agent: {instructions: Be brief., max_steps: 3}
worker: {sweep_seconds: 9}`);

  const changed = takeLiveKeys(used, next);

  expect([...changed.taken].sort()).toEqual([
    'agent.instructions',
    'platforms.discord.chats',
    'platforms.telegram.allowed_users',
    'tools.admins.discord',
  ]);
  expect([...changed.waiting].sort()).toEqual([
    'agent.max_steps',
    'platforms.telegram.file_over_parts',
    'worker.sweep_seconds',
  ]);
  expect(used.platforms.telegram.allowed_users).toEqual(['1', '2']);
  expect(used.platforms.telegram.file_over_parts).toBe(5);
});

test('an unchanged config takes nothing', () => {
  expect(takeLiveKeys(read(''), read(''))).toEqual({ taken: [], waiting: [] });
});
