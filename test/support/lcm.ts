/** Summary graphs written through the store, as the lossless engine's plans do it. */
import { createHash } from 'node:crypto';
import type {
  CompactionPlan,
  LcmChange,
  LcmNewSummary,
  LcmStore,
  LcmSummaryHead,
  MessageRow,
} from '@palimpsest/core';
import { createLcmStore } from '../../packages/store/src/lcm/create-lcm-store.ts';
import { applyPlan } from './compacted-sessions.ts';
import { makePlan } from './plans.ts';
import type { StoreWorld, TestSession } from './store-world.ts';

const lcmStores = new WeakMap<StoreWorld, LcmStore>();

/** One a world, as a worker has it: it remembers what it read. */
export function lcmOf(world: StoreWorld): LcmStore {
  const store = lcmStores.get(world) ?? lcmOfAnother(world);
  lcmStores.set(world, store);
  return store;
}

/** As a process has it that never read before. */
export const lcmOfAnother = (world: StoreWorld): LcmStore => createLcmStore(world.db);

export type LcmRow = Pick<MessageRow, 'id' | 'seq' | 'tokens' | 'sentAt'>;

/** Deterministic, as the engine makes it. */
function summaryId(sessionId: string, depth: number, under: readonly unknown[], content: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([sessionId, depth, under, content]))
    .digest('hex');
  return `sum_${hash}`;
}

export function makeLeaf(
  sessionId: string,
  rows: readonly LcmRow[],
  content: string,
  wish: Partial<LcmNewSummary> = {},
): LcmNewSummary {
  const ids = rows.map((row) => row.id);
  const times = rows.map((row) => row.sentAt.getTime());
  return {
    id: summaryId(sessionId, 0, ids, content),
    kind: 'leaf',
    depth: 0,
    content,
    tokens: 20,
    earliestAt: new Date(Math.min(...times)),
    latestAt: new Date(Math.max(...times)),
    descendantCount: 0,
    descendantTokens: 0,
    sourceMessageTokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    fileIds: [],
    provider: 'scripted',
    model: 'small-model',
    escalation: 'normal',
    messageIds: ids,
    sourceIds: [],
    ...wish,
  };
}

export function makeCondensed(
  sessionId: string,
  sources: readonly LcmSummaryHead[],
  content: string,
  wish: Partial<LcmNewSummary> = {},
): LcmNewSummary {
  const ids = sources.map((source) => source.id);
  const depth = (sources[0]?.depth ?? 0) + 1;
  return {
    id: summaryId(sessionId, depth, ids, content),
    kind: 'condensed',
    depth,
    content,
    tokens: 25,
    earliestAt: new Date(Math.min(...sources.map((source) => source.earliestAt.getTime()))),
    latestAt: new Date(Math.max(...sources.map((source) => source.latestAt.getTime()))),
    descendantCount: sources.reduce((sum, source) => sum + source.descendantCount + 1, 0),
    descendantTokens: sources.reduce((sum, source) => sum + source.tokens + source.descendantTokens, 0),
    sourceMessageTokens: sources.reduce((sum, source) => sum + source.sourceMessageTokens, 0),
    fileIds: [...new Set(sources.flatMap((source) => source.fileIds))],
    provider: 'scripted',
    model: 'small-model',
    escalation: 'normal',
    messageIds: [],
    sourceIds: ids,
    ...wish,
  };
}

export function lcmPlan(change: LcmChange, wish: Partial<CompactionPlan> = {}): CompactionPlan {
  return makePlan({ state: { engine: 'lcm', json: change }, ...wish });
}

/** Rows covered by one leaf, which stands first in its place. */
export function leafPlan(sessionId: string, rows: readonly LcmRow[], content: string): CompactionPlan {
  const leaf = makeLeaf(sessionId, rows, content);
  const ordinal = rows[0]?.seq ?? 0;
  return lcmPlan(
    { summaries: [leaf], addItems: [{ summaryId: leaf.id, ordinal }] },
    { archive: rows.map((row) => row.id) },
  );
}

/** Cover rows with a leaf; the leaf and its compaction. */
export async function coverRows(
  world: StoreWorld,
  session: TestSession,
  rows: readonly LcmRow[],
  content: string,
): Promise<{ leaf: LcmNewSummary; compactionId: number }> {
  const compactionId = await applyPlan(world, session, leafPlan(session.sessionId, rows, content));
  return { leaf: makeLeaf(session.sessionId, rows, content), compactionId };
}

/** Condense items of the context into one node in the place of the first. */
export async function condense(
  world: StoreWorld,
  session: TestSession,
  sources: readonly LcmSummaryHead[],
  content: string,
): Promise<{ node: LcmNewSummary; compactionId: number }> {
  const node = makeCondensed(session.sessionId, sources, content);
  const { items } = await lcmOf(world).load(session.sessionId);
  const ordinal = items.find((item) => item.id === sources[0]?.id)?.ordinal ?? 0;
  const change: LcmChange = {
    summaries: [node],
    removeItems: sources.map((source) => source.id),
    addItems: [{ summaryId: node.id, ordinal }],
  };
  return { node, compactionId: await applyPlan(world, session, lcmPlan(change)) };
}

/** The context in order: texts of live rows and contents of items. */
export async function contextOf(world: StoreWorld, sessionId: string): Promise<string[]> {
  const lcm = lcmOf(world);
  const { items } = await lcm.load(sessionId);
  const bodies = await lcm.summaries(
    sessionId,
    items.map((item) => item.id),
  );
  const rows = await world.transcript.liveRows(sessionId);
  const entries: [number, string][] = [
    ...items.map((item): [number, string] => [
      item.ordinal,
      `(${bodies.find((body) => body.id === item.id)?.content ?? '?'})`,
    ]),
    ...rows.map((row): [number, string] => [
      row.seq,
      row.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(''),
    ]),
  ];
  return entries.sort((a, b) => a[0] - b[0]).map(([, text]) => text);
}

/** What a doctor finds, without the weak texts. */
export async function brokenRules(world: StoreWorld, sessionId: string): Promise<string[]> {
  const problems = await lcmOf(world).doctor(sessionId);
  return problems.filter((problem) => problem.severity === 'broken').map((problem) => problem.check);
}
