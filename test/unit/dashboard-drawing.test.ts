/** Where a graph and blocks are drawn, and where the arrow keys lead in it. */
import { expect, test } from 'vitest';

interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  state: string;
}
interface Drawn {
  width: number;
  height: number;
  boxes: Box[];
  lines: { from: [number, number]; to: [number, number] }[];
  bands: { id: string | null; to: [number, number, number] }[];
}

const pages = new URL('../../apps/dashboard/src/pages/', import.meta.url);
const { layGraph } = (await import(new URL('lay-graph.js', pages).href)) as {
  layGraph(graph: object): Drawn;
};
const { layBlocks } = (await import(new URL('lay-blocks.js', pages).href)) as {
  layBlocks(map: object): Drawn;
};
const { next } = (await import(new URL('walk-drawing.js', pages).href)) as {
  next(boxes: readonly Box[], at: Box, key: string): Box | undefined;
};

const leaf = (id: string, firstSeq: number, isInContext = false) => ({
  id,
  depth: 0,
  isInContext,
  sourceIds: [],
  messages: 10,
  firstSeq,
  lastSeq: firstSeq + 9,
});
const over = (id: string, depth: number, sourceIds: string[], isInContext = false) => ({
  id,
  depth,
  isInContext,
  sourceIds,
  messages: 0,
  firstSeq: 0,
  lastSeq: 0,
});
const graph = {
  nodes: [
    leaf('a', 0),
    leaf('b', 10),
    leaf('c', 20, true),
    leaf('undone', 20),
    over('ab', 1, ['a', 'b'], true),
    over('ab again', 1, ['a', 'b']),
  ],
  live: { rows: 71, firstSeq: 30, lastSeq: 100 },
};
const block = (number: number, first: number, last: number, wish: object = {}) => ({
  number,
  first,
  last,
  activity: 'active',
  consumed: [],
  consumedBy: null,
  ...wish,
});

function overlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => other.y === one.y && one.x < other.x + other.width && other.x < one.x + one.width)
      .map((other) => `${one.id} ${other.id}`),
  );
}

test('a node stands above the middle of its sources, and none over another one of its depth', () => {
  const { boxes, lines, width } = layGraph(graph);

  const at = new Map(boxes.map((box) => [box.id, box]));
  const middle = (id: string) => at.get(id)!.x + at.get(id)!.width / 2;
  expect(middle('ab')).toBe((middle('a') + middle('b')) / 2);
  expect(at.get('ab')!.y).toBeLessThan(at.get('a')!.y);
  expect(overlaps(boxes)).toEqual([]);
  expect(Math.max(...boxes.map((box) => box.x + box.width))).toBeLessThanOrEqual(width);
  expect(lines).toHaveLength(4);
});

test('what stands in the context, what lies under it and what left it are told apart', () => {
  const { boxes } = layGraph(graph);

  expect(boxes.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'a under',
    'b under',
    'c shown',
    'undone left',
    'ab shown',
    'ab again left',
  ]);
});

test('rows at the foot are drawn to scale, the live ones last', () => {
  const { bands, width } = layGraph(graph);

  expect(bands.map(({ id, to }) => [id, Math.round((to[0] / width) * 100)])).toEqual([
    ['a', 0],
    ['b', 10],
    ['c', 20],
    ['undone', 20],
    [null, 30],
  ]);
});

test('a graph of 300 leaves under 75 nodes has no two boxes in one place', () => {
  const leaves = Array.from({ length: 300 }, (_, index) => leaf(`l${index}`, index * 10));
  const above = Array.from({ length: 75 }, (_, index) =>
    over(
      `n${index}`,
      1,
      leaves.slice(index * 4, index * 4 + 4).map(({ id }) => id),
      true,
    ),
  );

  const { boxes } = layGraph({ nodes: [...leaves, ...above], live: null });

  expect(overlaps(boxes)).toEqual([]);
});

test('a block lies over what it took in, and over nothing else', () => {
  const { boxes } = layBlocks({
    rows: 100,
    blocks: [
      block(1, 0, 9, { activity: 'consumed', consumedBy: 3 }),
      block(2, 5, 7, { activity: 'user_off' }),
      block(3, 0, 19, { consumed: [1] }),
      block(4, 60, 79),
    ],
  });

  const lane = (id: string) => boxes.find((box) => box.id === id)!.y;
  expect(overlaps(boxes)).toEqual([]);
  expect(lane('3')).toBeLessThan(lane('1'));
  expect(lane('4')).toBe(lane('1'));
  expect(boxes.map(({ state }) => state)).toEqual(['under', 'left', 'shown', 'shown']);
  expect(boxes[3]).toMatchObject({ x: 576, width: 190 });
});

test('arrow keys lead along a depth, up to what was made of a node and down to its first source', () => {
  const { boxes } = layGraph(graph);
  const at = (id: string) => boxes.find((box) => box.id === id)!;
  const walk = (id: string, key: string) => next(boxes, at(id), key)?.id;

  expect(walk('a', 'ArrowRight')).toBe('b');
  expect(walk('a', 'ArrowLeft')).toBeUndefined();
  expect(walk('b', 'ArrowUp')).toBe('ab');
  expect(walk('ab', 'ArrowDown')).toBe('a');
  // Nothing was made of it, so the closest one above.
  expect(walk('undone', 'ArrowUp')).toBe('ab again');
  expect(walk('a', 'End')).toBe('undone');
  expect(walk('undone', 'Home')).toBe('a');
  expect(walk('ab', 'ArrowUp')).toBeUndefined();
  expect(walk('a', 'x')).toBeUndefined();
});
