/** Where blocks are drawn over the rows they stand for: what took another one in lies over it. Pure. */

const rowHeight = 34;
const boxHeight = 26;
const width = 960;
const leastWidth = 10;

/**
 * blocks   rising numbers; `first` and `last` are places of live rows, from 0 on
 * rows     live rows
 * returns  `{ width, height, boxes }`; boxes are `{ id, x, y, width, height, up, down, block, state }`
 */
export function layBlocks({ blocks, rows }) {
  const lanes = laneOf(blocks);
  const top = Math.max(0, ...lanes.values());
  const step = width / Math.max(1, rows);
  const boxes = blocks.map((block) => ({
    id: String(block.number),
    x: Math.min(block.first * step, width - leastWidth),
    y: (top - lanes.get(block.number)) * rowHeight,
    width: Math.max(leastWidth, (block.last - block.first + 1) * step - 2),
    height: boxHeight,
    up: block.consumedBy === null ? null : String(block.consumedBy),
    down: block.consumed.length > 0 ? String(block.consumed[0]) : null,
    block,
    state: block.activity === 'active' ? 'shown' : block.activity === 'consumed' ? 'under' : 'left',
  }));
  return { width, height: (top + 1) * rowHeight + 14, boxes };
}

/** One above the highest of what it took in, and higher where another one already stands there. */
function laneOf(blocks) {
  const lanes = new Map();
  const placed = [];
  for (const block of blocks) {
    let lane = 1 + Math.max(-1, ...block.consumed.map((inner) => lanes.get(inner) ?? -1));
    while (placed.some((one) => one.lane === lane && one.first <= block.last && block.first <= one.last))
      lane++;
    lanes.set(block.number, lane);
    placed.push({ lane, first: block.first, last: block.last });
  }
  return lanes;
}
