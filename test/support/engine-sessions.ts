/** Sessions of the engines that keep a graph or blocks, put into the store as the engines leave them. */
import { sessionWith } from './compacted-sessions.ts';
import { condense, coverRows } from './lcm.ts';
import { spokenLines } from './spoken-lines.ts';
import { aBlock, callRows, dcpOf } from './stored-dcp.ts';
import type { StoreWorld } from './store-world.ts';

/** b1 over two lines, taken in by b2 over a third; b3 over a call with its result; two lines stay. */
export async function sessionWithBlocks(world: StoreWorld) {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five']);
  const calls = await world.append(session.lease, callRows('call-1'));
  const [one, two, three, four] = session.ids as [number, number, number, number];
  await dcpOf(world).write(session.lease, {
    baseVersion: 0,
    refs: [one, two, three, four].map((unitId, index) => ({ unitId, number: index + 1 })),
    blocks: [
      aBlock({ number: 1, unitIds: [one, two], rawTokens: 900, summaryTokens: 100, body: 'inner' }),
      aBlock({
        number: 2,
        unitIds: [three],
        consumed: [1],
        refBlocks: [1],
        startRef: 'b1',
        endRef: 'm0003',
        anchorUnit: one,
        rawTokens: 500,
        summaryTokens: 50,
        body: 'outer (b1)',
      }),
      aBlock({
        number: 3,
        unitIds: [calls[0]!.id],
        author: 'host_emergency',
        rawTokens: 70,
        summaryTokens: 90,
      }),
    ],
    marks: [
      { unitId: four, callId: 'call-8', reason: 'duplicate', run: 1, tokens: 60 },
      { unitId: four, callId: 'call-9', reason: 'sweep', run: 1, tokens: 10 },
    ],
    counts: { nudges: 2, compressCalls: 1 },
    events: [
      { kind: 'nudge', detail: { kind: 'turn', level: 'soft', spans: 1 } },
      { kind: 'compress', detail: { blocks: ['b1'] } },
      { kind: 'nudge', detail: { kind: 'context_limit', level: 'strong', spans: 2 } },
    ],
  });
  return session;
}

/** Eight lines under four leaves under two nodes; a ninth line is live. */
export async function sessionWithGraph(world: StoreWorld) {
  const { session, rows } = await spokenLines(world, 9);
  const leaves = [];
  for (const start of [0, 2, 4, 6])
    leaves.push((await coverRows(world, session, rows.slice(start, start + 2), `leaf ${start}`)).leaf);
  const { node: left } = await condense(world, session, leaves.slice(0, 2), 'left');
  const { node: right } = await condense(world, session, leaves.slice(2), 'right');
  return { ...session, rows, leaves, left, right };
}
