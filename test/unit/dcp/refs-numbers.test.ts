import { emptyDcpState } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { assignRefs } from '../../../packages/engines/src/dcp/refs/assign-refs.ts';
import {
  formatBlockRef,
  formatUnitRef,
  parseRef,
} from '../../../packages/engines/src/dcp/refs/format-ref.ts';
import { groupUnits } from '../../../packages/engines/src/dcp/refs/group-units.ts';
import { applyChange } from '../../../packages/engines/src/dcp/state/apply-change.ts';
import { CompressWorld, talk } from '../../support/compress-world.ts';

const numbers = (world: CompressWorld): [number, number][] => [...world.state.refs];

test('refs are written with four digits at least, and read whatever their case and the blanks around them', () => {
  expect([formatUnitRef(1), formatUnitRef(9999), formatUnitRef(10000), formatBlockRef(12)]).toEqual([
    'm0001',
    'm9999',
    'm10000',
    'b12',
  ]);
  expect(parseRef(' M0042 ')).toEqual({ kind: 'unit', number: 42 });
  expect(parseRef('[m12345]')).toEqual({ kind: 'unit', number: 12345 });
  expect(parseRef('B3')).toEqual({ kind: 'block', number: 3 });
});

test.each(['m0000', 'm42', 'b0', 'b01', 'm', 'b', '', '42', 'm0001 m0002', 'm-001', 'x0001', 'm1234567890'])(
  'no ref: %j',
  (text) => {
    expect(parseRef(text)).toBeNull();
  },
);

test('an assistant row with all its results is one unit, a message of a person is one', () => {
  const world = new CompressWorld();
  world.person('go');
  world.round([{ output: 'a' }, { output: 'b' }]);
  world.answer('done');

  expect(groupUnits(world.rows).map(({ id, kind, rows }) => [id, kind, rows.length])).toEqual([
    [101, 'person', 1],
    [102, 'steps', 3],
    [105, 'steps', 1],
  ]);
});

test('D1 a session that begins anew is numbered from m0001, whatever another one in memory had', async () => {
  const other = talk(new CompressWorld(), 3);
  await other.range([{ startId: 'm0001', endId: 'm0002', summary: 'Old part.' }]);
  const world = talk(new CompressWorld(), 3);

  await world.range([{ startId: 'm0001', endId: 'm0002', summary: 'Another old part.' }]);

  expect(numbers(world)[0]).toEqual([101, 1]);
  expect(world.state.blocks).toMatchObject([{ number: 1, body: 'Another old part.' }]);
  expect(other.state.blocks).toMatchObject([{ number: 1, body: 'Old part.' }]);
});

test('D22 where not all refs fit any more nothing is assigned', () => {
  const world = talk(new CompressWorld(), 2);
  const units = groupUnits(world.rows);

  expect(assignRefs(emptyDcpState(), units, { mostRefs: 3 })).toEqual({ kind: 'exhausted' });
  expect(assignRefs(emptyDcpState(), units, { mostRefs: 4 })).toMatchObject({ kind: 'assigned' });
});

test('a number is never given again: after two messages were taken back the next one goes on', () => {
  const world = talk(new CompressWorld(), 2);
  world.answer('fifth');
  world.number();
  world.withdraw([104, 105]);
  world.answer('again');
  world.number();

  expect(world.state.refs.get(106)).toBe(6);
  expect(world.state.nextRef).toBe(7);
});

test('notices, notes of the service and empty rows get no number', () => {
  const world = new CompressWorld();
  world.person('go');
  world.person('told by the service', 'notice');
  world.person('[continue]', 'synthetic');
  const empty = world.answer('');
  world.rows = world.rows.map((row) => (row.id === empty.id ? { ...row, parts: [], tokens: 4 } : row));
  world.answer('done');
  world.number();

  expect(numbers(world)).toEqual([
    [101, 1],
    [105, 2],
  ]);
});

test('rows that were summed up by another engine can be named like a message', () => {
  const world = new CompressWorld();
  world.person('a summary of before', 'summary');
  world.number();

  expect(numbers(world)).toEqual([[101, 1]]);
});

test('a very long conversation gets all its numbers in one change', () => {
  const refs = Array.from({ length: 300_000 }, (_, index) => ({ unitId: index + 1, number: index + 1 }));

  const state = applyChange(emptyDcpState(), { baseVersion: 0, refs });

  expect([state.nextRef, state.refs.size]).toEqual([300_001, 300_000]);
});
