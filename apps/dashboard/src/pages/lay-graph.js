/** Where the nodes of a graph of summaries are drawn: leaves side by side, what was made of them above. Pure. */

const rowHeight = 64;
const boxHeight = 28;
const axisHeight = 58;
export const footHeight = 12;
const least = 26;
const most = 120;
const whole = 960;

/**
 * nodes   sources before what was made of them; leaves in the order of their rows
 * live    rows that stand for themselves: `{ rows, firstSeq, lastSeq }` or null
 * returns `{ width, height, boxes, lines, bands }`; boxes are `{ id, x, y, width, height, up, down, node, state }`, lines
 *         run from a node to its sources, bands from a leaf to its rows at the foot, the last one being the live rows
 */
export function layGraph({ nodes, live }) {
  const leaves = nodes.filter(({ depth }) => depth === 0);
  const column = Math.min(most, Math.max(least, whole / Math.max(1, leaves.length)));
  const top = Math.max(0, ...nodes.map(({ depth }) => depth));
  const footY = top * rowHeight + boxHeight;
  const places = placeNodes(nodes, { column, top });
  const width = Math.max(240, ...[...places.values()].map(({ x }) => x + column / 2));
  const reached = reachedFromContext(nodes);
  const boxes = nodes.map((node) => boxOf(node, { nodes, places, reached, column }));
  const lines = boxes.flatMap(({ node, x, y, width: wide }) =>
    node.sourceIds.map((id) => ({
      from: [x + wide / 2, y + boxHeight],
      to: [places.get(id).x, places.get(id).y],
    })),
  );
  const endsOf = endsAtFoot(leaves, live, width);
  return {
    width,
    height: footY + axisHeight,
    boxes,
    lines,
    bands: bandsOf(boxes, { live, endsOf, footY: footY + axisHeight }),
  };
}

/** By id the middle of each node's upper edge. Nodes of one depth never overlap. */
function placeNodes(nodes, { column, top }) {
  const places = new Map();
  const nextFree = new Map();
  for (const node of nodes) {
    const under = node.sourceIds.map((id) => places.get(id).x);
    const free = nextFree.get(node.depth) ?? column / 2;
    const middle = under.length > 0 ? (Math.min(...under) + Math.max(...under)) / 2 : free;
    const x = Math.max(free, middle);
    nextFree.set(node.depth, x + column);
    places.set(node.id, { x, y: (top - node.depth) * rowHeight });
  }
  return places;
}

function boxOf(node, { nodes, places, reached, column }) {
  const { x, y } = places.get(node.id);
  const width = Math.min(column - 4, 96);
  const above = nodes.find(({ sourceIds }) => sourceIds.includes(node.id));
  const state = node.isInContext ? 'shown' : reached.has(node.id) ? 'under' : 'left';
  const [down = null] = node.sourceIds;
  return {
    id: node.id,
    x: x - width / 2,
    y,
    width,
    height: boxHeight,
    up: above?.id ?? null,
    down,
    node,
    state,
  };
}

/** Nodes that stand in the context, and all under them. */
function reachedFromContext(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const reached = new Set();
  const reach = (node) => {
    if (!node || reached.has(node.id)) return;
    reached.add(node.id);
    for (const id of node.sourceIds) reach(byId.get(id));
  };
  for (const node of nodes) if (node.isInContext) reach(node);
  return reached;
}

/** From the first and last row of a part to its ends at the foot, where a row is as wide as rows are apart on average. */
function endsAtFoot(leaves, live, width) {
  const parts = [...leaves, ...(live ? [live] : [])];
  const first = Math.min(...parts.map(({ firstSeq }) => firstSeq));
  const last = Math.max(...parts.map(({ lastSeq }) => lastSeq));
  const rows = leaves.reduce((sum, { messages }) => sum + messages, live?.rows ?? 0);
  const step = rows > 1 ? (last - first) / (rows - 1) : 1;
  const place = (seq) => ((seq - first) / (last + step - first)) * width;
  return ({ firstSeq, lastSeq }) => [place(firstSeq), place(lastSeq + step)];
}

function bandsOf(boxes, { live, endsOf, footY }) {
  const covered = boxes
    .filter(({ node }) => node.depth === 0)
    .map(({ id, x, y, width, node, state }) => ({
      id,
      state,
      from: [x, x + width, y + boxHeight],
      to: [...endsOf(node), footY - footHeight],
    }));
  if (!live) return covered;
  const place = [...endsOf(live), footY - footHeight];
  return [...covered, { id: null, state: 'live', from: place, to: place }];
}
