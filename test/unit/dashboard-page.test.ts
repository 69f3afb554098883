/** How the page of one session is laid out, and its ledger grouped. */
import type { DcpBlockView, LcmItem, RowHeader } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { layPage } from '../../apps/dashboard/src/palimpsest/lay-page.ts';

interface Attempt {
  id: number;
  outcome: string;
  reason: string;
}

const pages = new URL('../../apps/dashboard/src/pages/', import.meta.url);
const { groupAttempts } = (await import(new URL('timeline-groups.js', pages).href)) as {
  groupAttempts(rows: Attempt[]): { rows: Attempt[] }[];
};

const { verdict } = (await import(new URL('verdict.js', pages).href)) as {
  verdict(context: object): string;
};

function header(id: number, role: RowHeader['role'] = 'user'): RowHeader {
  const kind = role === 'user' ? 'person' : role;
  return { id, seq: id * 1_024, role, kind, tokens: 10, sentAt: new Date(0), toolCallIds: [] };
}

function block(number: number, wish: Partial<DcpBlockView>): DcpBlockView {
  return {
    number,
    run: number,
    author: 'model',
    mode: 'range',
    topic: 'ports',
    batchTopic: null,
    body: '',
    refBlocks: [],
    startRef: 'm0001',
    endRef: 'm0001',
    anchorUnit: 1,
    unitIds: [],
    consumed: [],
    status: 'on',
    rawTokens: 100,
    summaryTokens: 10,
    durationMs: 1,
    activity: 'active',
    consumedBy: null,
    compactionId: null,
    createdAt: new Date(0),
    ...wish,
  };
}

/** Rows by id, blocks as b1, nodes by id; in the order of the page. */
function outline(ground: Parameters<typeof layPage>[0]): unknown[] {
  return layPage(ground).map((place) => {
    if (place.kind === 'row') return place.row.id;
    return place.kind === 'block' ? `b${place.block.number}` : place.node.id;
  });
}

test('a block stands where its first unit stood; a unit goes with the results of its calls', () => {
  const rows = [header(1), header(2, 'assistant'), header(3, 'tool'), header(4, 'tool'), header(5)];

  expect(outline({ rows, items: [], blocks: [block(1, { unitIds: [2], anchorUnit: 2 })] })).toEqual([
    1,
    'b1',
    5,
  ]);
});

test('what a block took in is under it, and a block that is off hides nothing', () => {
  const rows = [1, 2, 3, 4].map((id) => header(id));
  const blocks = [
    block(1, { unitIds: [1], activity: 'consumed', consumedBy: 2 }),
    block(2, { unitIds: [2], consumed: [1], anchorUnit: 1 }),
    block(3, { unitIds: [4], anchorUnit: 4, activity: 'user_off' }),
  ];

  expect(outline({ rows, items: [], blocks })).toEqual(['b2', 3, 4]);
});

test('nodes of the graph stand among the live rows by the place of their first message', () => {
  const node = (id: string, ordinal: number) => ({ id, ordinal }) as LcmItem;

  const page = outline({
    rows: [header(3), header(6)],
    items: [node('sum_b', 4_096), node('sum_a', 1_024)],
    blocks: [],
  });

  expect(page).toEqual(['sum_a', 3, 'sum_b', 6]);
});

test('attempts declined one after the other for one reason are one entry', () => {
  const skipped = (id: number, reason: string): Attempt => ({ id, outcome: 'skipped', reason });
  const rows = [
    skipped(6, 'cooldown'),
    skipped(5, 'cooldown'),
    skipped(4, 'hot_cache'),
    { id: 3, outcome: 'failed', reason: 'cooldown' },
  ];

  expect(groupAttempts(rows).map((group) => group.rows.map(({ id }) => id))).toEqual([[6, 5], [4], [3]]);
});

const context = {
  engine: 'compressor',
  promptTokens: 7_000,
  prepareTokens: 10_000,
  triggerTokens: 12_000,
  hardLimitTokens: 14_400,
  decision: { kind: 'no', reason: 'below_threshold' },
  restUntil: null,
  restReason: null,
};

test('one sentence says what comes next, and past the trigger why it waits', () => {
  const past = { ...context, promptTokens: 13_000 };
  const verdicts = [
    context,
    { ...context, promptTokens: 11_000, decision: { kind: 'prepare' } },
    { ...past, decision: { kind: 'now', reason: 'threshold' } },
    { ...past, decision: { kind: 'no', reason: 'breaker_open' } },
    { ...past, promptTokens: 14_500, decision: { kind: 'now', reason: 'hard_limit' } },
  ].map(verdict);

  expect(verdicts).toEqual([
    'Quiet: 5,000 tokens to go until it is compacted.',
    'A compaction is made ready in the background; 1,000 tokens to go.',
    'Past the trigger: it is compacted with the next message.',
    'Past the trigger, but it waits: the last compactions did not help.',
    'At the hard limit: room is made before the next answer.',
  ]);
});

test('below the trigger of the lossless engine the sentence tells of its next small pass', () => {
  const early = { messages: 6, tokens: 800, neededTokens: 2_000 };
  const verdicts = (['gathering', 'held', 'due'] as const).map((state) =>
    verdict({ ...context, engine: 'lcm', earlyWork: { ...early, state } }),
  );

  expect(verdicts).toEqual([
    'Quiet: 5,000 tokens to go until it is compacted. A small pass begins when 1,200 more tokens lie outside the fresh tail: now 800 of 2,000, in 6 messages.',
    'Quiet: 5,000 tokens to go until it is compacted. A small pass over 800 tokens in 6 messages waits: the prompt cache is warm.',
    'Quiet: 5,000 tokens to go until it is compacted. A small pass over 800 tokens in 6 messages is due in the background.',
  ]);
});

test('past the trigger the sentence tells why the engine sees nothing to do', () => {
  const past = { ...context, promptTokens: 12_500, systemTokens: 500, toolTokens: 500 };
  const verdicts = [
    { ...past, promptTokens: 12_000, promptSource: 'api' },
    { ...past, promptSource: 'estimate' },
    { ...past, systemTokens: 12_000, promptSource: 'api' },
    { ...past, decision: { kind: 'no', reason: 'none' } },
    { ...context, decision: { kind: 'no', reason: 'none' } },
  ].map(verdict);

  expect(verdicts).toEqual([
    'At the trigger: it is compacted as soon as there is more.',
    'Past the trigger by estimate: it waits until the model has counted the prompt.',
    'System text and tools alone are past the trigger, so no compaction could help; room is made at 14,400.',
    'Switched off in the config: nothing is compacted by itself.',
    'Switched off in the config: nothing is compacted by itself.',
  ]);
});

test('where the model condenses itself the sentence says from when on it is reminded', () => {
  const dcp = { ...context, engine: 'dcp' };

  expect(verdict(dcp)).toBe('Quiet: 3,000 tokens to go until the model may be reminded to condense.');
  expect(verdict({ ...dcp, promptTokens: 12_500 })).toBe(
    'Past the trigger: the model is reminded to condense; the service steps in at 14,400.',
  );
  expect(verdict({ ...dcp, promptTokens: 12_500, isQuiet: true })).toBe(
    'The model is not reminded to condense: a person has to ask; the service steps in at 14,400.',
  );
});
