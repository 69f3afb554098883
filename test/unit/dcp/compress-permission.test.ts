import { expect, test } from 'vitest';
import {
  compressPermission,
  type PermissionRule,
} from '../../../packages/engines/src/dcp/compress/permission.ts';
import { CompressWorld, dcpConfig, talk } from '../../support/compress-world.ts';

const entry = { startId: 'm0001', endId: 'm0002', summary: 'Old part.' };
const rule = (tool: string, action: PermissionRule['action'], pattern = '*'): PermissionRule => ({
  tool,
  action,
  pattern,
});
const of = (all: PermissionRule[], agent: PermissionRule[] = []) =>
  compressPermission('allow', { all, agent });

test('D27 a wildcard deny disables the tool, a later allow wins, and rules of an agent beat those for all', () => {
  expect(of([rule('*', 'deny')])).toBe('deny');
  expect(of([rule('*', 'deny'), rule('compress', 'allow')])).toBe('allow');
  expect(of([rule('compress', 'allow'), rule('comp*', 'deny')])).toBe('deny');
  expect(of([rule('compress', 'deny')], [rule('compress', 'ask')])).toBe('ask');
  expect(of([rule('compress', 'allow')], [rule('*', 'deny')])).toBe('deny');
});

test('D27 a deny for certain inputs or for other tools does not disable it', () => {
  expect(of([rule('compress', 'deny', '/etc/*')])).toBe('allow');
  expect(of([rule('terminal', 'deny')])).toBe('allow');
  expect(compressPermission('ask')).toBe('ask');
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
