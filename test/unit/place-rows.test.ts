import { expect, test } from 'vitest';
import { placeRows, type SeqGround } from '../../packages/store/src/compactions/place-rows.ts';

/** Rows 1 … 5 at 1024 … 5120, next_seq 6144; 2 and 3 are archived, the others stay. */
const ground: SeqGround = {
  kept: [1024, 4096, 5120],
  taken: new Set([1024, 2048, 3072, 4096, 5120]),
  anchors: new Map([
    [1, { seq: 1024, next: 2048 }],
    [2, { seq: 2048, next: 3072 }],
    [3, { seq: 3072, next: 4096 }],
    [5, { seq: 5120, next: 6144 }],
  ]),
  nextSeq: 6144,
};

test('a row for a range takes the place directly below the first row after the range', () => {
  expect(placeRows([{ kind: 'range', lastRowId: 3 }], ground)).toEqual([4095]);
});

test('a row for the last range takes the place directly below next_seq', () => {
  expect(placeRows([{ kind: 'range', lastRowId: 5 }], ground)).toEqual([6143]);
});

test('a row that replaces one takes the place directly above it', () => {
  expect(placeRows([{ kind: 'replaces', rowId: 2 }], ground)).toEqual([2049]);
});

test('two rows for one range keep the order of the plan', () => {
  const places = [{ kind: 'range', lastRowId: 3 } as const, { kind: 'range', lastRowId: 3 } as const];
  expect(placeRows(places, ground)).toEqual([4094, 4095]);
});

test('two rows that replace one keep the order of the plan', () => {
  const places = [{ kind: 'replaces', rowId: 2 } as const, { kind: 'replaces', rowId: 2 } as const];
  expect(placeRows(places, ground)).toEqual([2049, 2050]);
});

test('neighbours in one gap are replaced in their own order, whatever the order of the plan', () => {
  const crowded: SeqGround = {
    kept: [4096],
    taken: new Set([2048, 2049, 4096]),
    anchors: new Map([
      [7, { seq: 2048, next: 2049 }],
      [8, { seq: 2049, next: 4096 }],
    ]),
    nextSeq: 5120,
  };
  const places = [{ kind: 'replaces', rowId: 8 } as const, { kind: 'replaces', rowId: 7 } as const];
  expect(placeRows(places, crowded)).toEqual([2051, 2050]);
});

test('a place that an archived or withdrawn row holds is passed over', () => {
  const crowded = { ...ground, taken: new Set([...ground.taken, 4095, 2049]) };
  expect(placeRows([{ kind: 'range', lastRowId: 3 }], crowded)).toEqual([4094]);
  expect(placeRows([{ kind: 'replaces', rowId: 2 }], crowded)).toEqual([2050]);
});

test('a full gap has no place: a range row never passes the live row before it', () => {
  const full: SeqGround = {
    kept: [1024, 1027],
    taken: new Set([1024, 1025, 1026, 1027]),
    anchors: new Map([[2, { seq: 1026, next: 1027 }]]),
    nextSeq: 2048,
  };
  expect(placeRows([{ kind: 'range', lastRowId: 2 }], full)).toBeNull();
});

test('a full gap has no place: a replacing row never passes the live row after it', () => {
  const full: SeqGround = {
    kept: [1026],
    taken: new Set([1024, 1025, 1026]),
    anchors: new Map([[1, { seq: 1024, next: 1025 }]]),
    nextSeq: 2048,
  };
  expect(placeRows([{ kind: 'replaces', rowId: 1 }], full)).toBeNull();
});
