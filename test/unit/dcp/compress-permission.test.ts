import { parseConfig } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { dcpConfigFor } from '../../../packages/engines/src/dcp/compress/permission.ts';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';

const entry = { startId: 'm0001', endId: 'm0002', summary: 'Old part.' };

/** What holds with these lists of rules, each as YAML. */
function permissionWith(all: string, agent = '[]', permission = 'allow'): string {
  const dcp = `context: { dcp: { compress: { permission: ${permission} } } }`;
  const config = parseConfig(`tools: { rules: ${all} }\nagent: { tool_rules: ${agent} }\n${dcp}\n`, 'test');
  return dcpConfigFor(config, false).compress.permission;
}

const denyAll = "{ tool: '*', action: deny }";

test('D27 a wildcard deny disables the tool, a later allow wins, and rules of an agent beat those for all', () => {
  expect(permissionWith(`[${denyAll}]`)).toBe('deny');
  expect(permissionWith(`[${denyAll}, { tool: compress, action: allow }]`)).toBe('allow');
  expect(permissionWith(`[{ tool: compress, action: allow }, { tool: 'comp*', action: deny }]`)).toBe('deny');
  expect(permissionWith('[{ tool: compress, action: deny }]', '[{ tool: compress, action: ask }]')).toBe(
    'ask',
  );
  expect(permissionWith('[{ tool: compress, action: allow }]', `[${denyAll}]`)).toBe('deny');
});

test('D27 a deny for certain inputs or for other tools does not disable it', () => {
  expect(permissionWith("[{ tool: compress, pattern: '*/etc/*', action: deny }]")).toBe('allow');
  expect(permissionWith('[{ tool: terminal, action: deny }]')).toBe('allow');
  expect(permissionWith('[]', '[]', 'ask')).toBe('ask');
});

test('ask in a rule for another tool is refused: nobody could be asked', () => {
  expect(() => permissionWith('[{ tool: terminal, action: ask }]')).toThrow(/tools\.rules.*action/s);
});

test('where the tool is denied a call of it is refused and changes nothing but the count', async () => {
  const world = talk(new CompressWorld(dcpConfig({}, { permission: 'deny' })), 3);

  const answer = await world.range([entry]);

  expect(answer.error).toEqual({
    code: 'E_DENIED',
    message: 'Nothing was compressed.\nE_DENIED: compress is switched off here; go on without it',
  });
  expect(world.state.blocks).toEqual([]);
});

test('in manual mode a call without the word of the person is refused', async () => {
  const world = talk(new CompressWorld(), 3);
  world.state = { ...world.state, manualMode: true };

  const answer = await world.range([entry]);

  expect(answer.error?.code).toBe('E_MANUAL');
  expect(answer.error?.message).toContain('they ask with /dcp compress');
});

test('the word of the person counts for one call that works; a failed one does not use it up', async () => {
  const world = talk(new CompressWorld(), 5);
  world.state = { ...world.state, manualMode: true, grant: { focus: null, isShown: true } };

  const failed = await world.range([{ ...entry, endId: 'm0800' }]);
  const done = await world.range([entry]);
  const again = await world.range([{ ...entry, startId: 'm0003', endId: 'm0004' }]);

  expect([failed.error?.code, done.ok, again.error?.code]).toEqual(['E_REF_UNKNOWN', true, 'E_MANUAL']);
  expect(world.state.grant).toBeNull();
  expect(world.state.manualMode).toBe(true);
});

test('with permission ask every call needs the word of the person', async () => {
  const world = talk(new CompressWorld(dcpConfig({}, { permission: 'ask' })), 4);

  const without = await world.range([entry]);
  world.grant({ focus: null, isShown: false });
  const withIt = await world.range([entry]);

  expect([without.error?.code, withIt.ok]).toEqual(['E_MANUAL', true]);
});
