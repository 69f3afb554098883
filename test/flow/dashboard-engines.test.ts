/** What operators read of blocks and of the graph, over HTTP, from rows on real Postgres. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Answer, type PagesUnderTest } from '../support/dashboard.ts';
import { sessionWithBlocks, sessionWithGraph } from '../support/engine-sessions.ts';
import { startStorePages } from '../support/session-pages.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
let pages: PagesUnderTest;
beforeAll(async () => {
  world = await openStoreWorld();
  pages = await startStorePages(world);
});
afterAll(async () => {
  await pages.close();
  await world[Symbol.asyncDispose]();
});

const read = async (sessionId: string, part: string): Promise<Answer> =>
  ask(`${pages.url}/api/sessions/${sessionId}/${part}`);
const textsOf = (answer: Answer) => (answer.json()['rows'] as { text: string }[]).map(({ text }) => text);

test('blocks come with what they cover, took in, removed and cost; the net counts the texts shown in their place', async () => {
  const { sessionId } = await sessionWithBlocks(world);

  const first = (await read(sessionId, 'dcp/blocks?limit=2')).json();
  const rest = (await read(sessionId, `dcp/blocks?after=${String(first['next'])}`)).json();

  expect(first).toMatchObject({
    next: 2,
    blocks: [
      { number: 1, activity: 'consumed', consumedBy: 2, units: 2, rows: 2, removedTokens: 900 },
      {
        number: 2,
        topic: 'choice of ports',
        author: 'model',
        activity: 'active',
        startRef: 'b1',
        endRef: 'm0003',
        consumed: [1],
        ownUnits: 1,
        ownTokens: 500,
        units: 3,
        rows: 3,
        removedTokens: 1_400,
        summaryTokens: 150,
        netTokens: 1_250,
        text: 'outer (b1)',
      },
    ],
  });
  expect(rest).toMatchObject({
    next: null,
    blocks: [{ number: 3, author: 'host_emergency', units: 1, rows: 2, netTokens: -20 }],
  });
});

test('a block stands in the place of its first unit, with its rows underneath, results with their call', async () => {
  const { sessionId } = await sessionWithBlocks(world);

  const { places, total } = (await read(sessionId, 'palimpsest')).json() as {
    places: { kind: string; row?: { text: string }; block?: { number: number } }[];
    total: number;
  };
  const under = await read(sessionId, 'dcp/blocks/2/rows');
  const ofCall = (await read(sessionId, 'dcp/blocks/3/rows')).json();

  expect(places.map(({ row, block }) => row?.text ?? block?.number)).toEqual([2, 'four', 'five', 3]);
  expect(total).toBe(4);
  expect(textsOf(under)).toEqual(['one', 'two', 'three']);
  expect(ofCall).toMatchObject({
    total: 2,
    rows: [
      { calls: ['terminal'], state: 'live' },
      { role: 'tool', text: 'done' },
    ],
  });
});

test('blocks are mapped to the places of live rows: what one took in, and which rows are hidden', async () => {
  const { sessionId } = await sessionWithBlocks(world);

  const map = (await read(sessionId, 'dcp/map')).json();

  // Five lines, a call and its result: b2 hides the first three, b3 the last two.
  expect(map).toEqual({
    rows: 7,
    hidden: 5,
    all: 3,
    ranges: [
      { first: 0, last: 2 },
      { first: 5, last: 6 },
    ],
    blocks: [
      {
        number: 1,
        topic: 'choice of ports',
        activity: 'consumed',
        consumed: [],
        consumedBy: 2,
        first: 0,
        last: 1,
      },
      {
        number: 2,
        topic: 'choice of ports',
        activity: 'active',
        consumed: [1],
        consumedBy: null,
        first: 0,
        last: 2,
      },
      {
        number: 3,
        topic: 'choice of ports',
        activity: 'active',
        consumed: [],
        consumedBy: null,
        first: 5,
        last: 6,
      },
    ],
  });
});

test('the graph is drawn from leaves with their rows up to what stands in the context, without a text', async () => {
  const { sessionId, leaves, left, right } = await sessionWithGraph(world);

  const { nodes, ...rest } = (await read(sessionId, 'lcm/drawing')).json() as {
    nodes: { id: string; firstSeq: number; lastSeq: number }[];
  };

  const ids = leaves.map(({ id }) => id);
  expect(nodes.slice(0, 4).map(({ id }) => id)).toEqual(ids);
  expect(nodes[0]).toEqual({
    id: ids[0],
    depth: 0,
    tokens: 20,
    escalation: 'normal',
    isInContext: false,
    sourceIds: [],
    messages: 2,
    firstSeq: nodes[0]!.firstSeq,
    lastSeq: nodes[0]!.firstSeq + 1_024,
  });
  expect(nodes.slice(4)).toMatchObject([
    { id: left.id, depth: 1, isInContext: true, sourceIds: ids.slice(0, 2), firstSeq: nodes[0]!.firstSeq },
    { id: right.id, depth: 1, isInContext: true, sourceIds: ids.slice(2), lastSeq: nodes[3]!.lastSeq },
  ]);
  expect(rest).toMatchObject({ leaves: 4, live: { rows: 1, firstSeq: nodes[3]!.lastSeq + 1_024 } });
});

test('an attempt tells how many texts it wrote, and gives them down to their lines', async () => {
  const { sessionId, leaves } = await sessionWithGraph(world);

  const { compactions } = (await read(sessionId, 'compactions')).json() as {
    compactions: { id: number; wrote: number }[];
  };
  const first = compactions.at(-1)!;
  const written = (await read(sessionId, `compactions/${first.id}/written`)).json();

  expect(compactions.map(({ wrote }) => wrote)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(written).toMatchObject({
    nodes: [{ id: leaves[0]!.id, text: 'leaf 0', messages: 2 }],
    blocks: [],
  });
});

test('savings are net of summaries; marks and the history of reminders come in pages', async () => {
  const { sessionId } = await sessionWithBlocks(world);

  const state = (await read(sessionId, 'dcp')).json();
  const marks = (await read(sessionId, 'dcp/marks?limit=1')).json();
  const events = (await read(sessionId, 'dcp/events?limit=1&kind=nudge')).json();
  const older = (await read(sessionId, `dcp/events?kind=nudge&before=${String(events['next'])}`)).json();

  expect(state).toMatchObject({
    savings: {
      activeBlocks: 2,
      allBlocks: 3,
      removedTokens: 1_470,
      summaryTokens: 240,
      netTokens: 1_230,
      markTokens: 70,
    },
    counters: { nudges: 2, compressCalls: 1 },
    marks: 2,
    refs: 4,
    manualMode: false,
  });
  expect(marks).toMatchObject({
    next: 1,
    marks: [{ callId: 'call-8', reason: 'duplicate', ref: 4, tokens: 60 }],
  });
  expect(events['events']).toMatchObject([{ detail: { kind: 'context_limit', level: 'strong' } }]);
  expect(older).toMatchObject({ next: null, events: [{ detail: { kind: 'turn', level: 'soft' } }] });
  expect((await read(sessionId, 'dcp/events?kind=gossip')).status).toBe(400);
});

test('the graph opens from its context down to messages, and counts them at every node', async () => {
  const { sessionId, leaves, left, right } = await sessionWithGraph(world);

  const context = (await read(sessionId, 'lcm/context')).json();
  const opened = (await read(sessionId, `lcm/nodes/${left.id}`)).json();
  const first = await read(sessionId, `lcm/nodes/${leaves[1]!.id}/messages?limit=1`);
  const rest = await read(
    sessionId,
    `lcm/nodes/${leaves[1]!.id}/messages?after=${String(first.json()['next'])}`,
  );

  expect(context).toMatchObject({
    next: null,
    nodes: [
      {
        id: left.id,
        kind: 'condensed',
        depth: 1,
        messages: 4,
        tokens: 25,
        sourceMessageTokens: 60,
        text: null,
      },
      { id: right.id, messages: 4, descendantCount: 2 },
    ],
  });
  expect(opened).toMatchObject({
    node: { text: 'left', sources: 2, escalation: 'normal', model: 'small-model' },
    isInContext: true,
    sources: [
      { id: leaves[0]!.id, kind: 'leaf', messages: 2, text: 'leaf 0' },
      { id: leaves[1]!.id, messages: 2 },
    ],
  });
  expect([textsOf(first), textsOf(rest)]).toEqual([['line 3'], ['line 4']]);
});

test('nodes are listed by depth, and in the text they stand where their first message stood', async () => {
  const { sessionId, leaves } = await sessionWithGraph(world);

  const deep = (await read(sessionId, 'lcm/nodes?depth=0&limit=3')).json();
  const rest = (await read(sessionId, 'lcm/nodes?depth=0&after=3')).json();
  const page = (await read(sessionId, 'palimpsest')).json();

  const listed = [deep, rest].flatMap((one) => one['nodes'] as { id: string; messages: number }[]);
  expect([deep['next'], rest['next']]).toEqual([3, null]);
  // They were all written about the same moment, so their order is not told.
  expect(listed.map(({ id }) => id).toSorted()).toEqual(leaves.map(({ id }) => id).toSorted());
  expect(listed.map(({ messages }) => messages)).toEqual([2, 2, 2, 2]);
  expect(page).toMatchObject({
    total: 3,
    places: [
      { kind: 'node', node: { text: 'left', messages: 4 } },
      { kind: 'node', node: { text: 'right' } },
      { kind: 'row', row: { text: 'line 9' } },
    ],
  });
});

test('figures, debt, breakers and findings of the graph are there; a node of another session is not', async () => {
  const { sessionId, left } = await sessionWithGraph(world);
  const other = await world.newSession();

  const state = (await read(sessionId, 'lcm')).json();
  const findings = (await read(sessionId, 'lcm/doctor')).json();

  expect(state).toMatchObject({
    status: {
      items: 2,
      itemTokens: 50,
      coveredMessages: 8,
      liveMessages: 1,
      summariesByDepth: [4, 2],
      debt: null,
    },
    breakers: [],
    spend: null,
  });
  expect(findings).toEqual({ problems: [] });
  expect((await read(other.sessionId, `lcm/nodes/${left.id}`)).status).toBe(404);
  expect((await read(other.sessionId, `lcm/nodes/${left.id}/messages`)).status).toBe(404);
  expect((await read(sessionId, 'lcm/nodes/leaf-1')).json()['error']).toEqual({
    code: 'input_invalid',
    message: 'node: not the id of a node: sum_ and hexadecimal digits',
  });
});
