/** Sessions of the lossless engine on a database, through the store's own doors. */
import {
  estimateParts,
  GatewayError,
  type CompactionPlan,
  type CompactionUndo,
  type HistoryStore,
  type Lease,
  type MessageRow,
  type NewRow,
  type OpenedCompaction,
  type Part,
  type RowHeader,
  type Session,
  type Store,
  type TranscriptView,
} from '@palimpsest/core';

const account = { platform: 'local', id: 'local' } as const;
const sender = { id: 'bench', name: 'Bench', isBot: false };

export interface Claimed {
  lease: Lease;
  session: Session;
}

/** About 800 bytes, 200 tokens. */
function talkRow(index: number): NewRow {
  const said = `Line ${index}: the second part still fits if the train is on time, and I wrote that into notes/plan-${index % 7}.md. `;
  const parts: Part[] = [{ type: 'text', text: said.repeat(7) }];
  const isPerson = index % 2 === 0;
  return {
    role: isPerson ? 'user' : 'assistant',
    kind: isPerson ? 'person' : 'assistant',
    parts,
    tokens: estimateParts(parts),
  };
}

export function talk(count: number): NewRow[] {
  return Array.from({ length: count }, (_, index) => talkRow(index));
}

/** Rows for the chat of that id, behind those it has. */
export function importOf(chatId: string, rows: readonly NewRow[]) {
  return { account, place: { chatId, threadId: '', kind: 'direct' }, sender, engine: 'lcm', rows } as const;
}

export async function newSession(
  { store, history }: { store: Store; history: HistoryStore },
  chatId: string,
  rows: readonly NewRow[],
): Promise<Claimed> {
  const sessionId = await history.importRows(importOf(chatId, rows));
  const claim = await store.turns.claim(sessionId, 'bench', 3_600_000);
  if (claim.kind === 'claimed') return claim;
  throw new GatewayError('internal', `the session of a bench is ${claim.kind}`);
}

function opened({ lease }: Claimed, trigger: OpenedCompaction['trigger']): OpenedCompaction {
  return {
    sessionId: lease.sessionId,
    epoch: lease.epoch,
    engine: 'lcm',
    layer: 'background',
    trigger,
    windowTokens: 128_000,
    windowSource: 'config',
    thresholdRaw: 0.75,
    triggerTokens: 96_000,
    mainModel: 'bench/instant',
  };
}

/** The ledger row is opened before `apply` is called, as it is before a model is asked. */
export async function openPlan(store: Store, claimed: Claimed, plan: CompactionPlan) {
  const compactionId = await store.compactions.open(opened(claimed, 'prepared'));
  return { compactionId, apply: () => store.compactions.apply(claimed.lease, compactionId, plan, []) };
}

export async function takeBack(
  store: Store,
  claimed: Claimed,
  done: { compactionId: number; plan: CompactionPlan },
): Promise<void> {
  const undo: CompactionUndo = {
    compactionId: done.compactionId,
    opened: opened(claimed, 'undo'),
    figures: done.plan.figures,
    request: null,
  };
  await store.compactions.undo(claimed.lease, undo, []);
}

/** Live rows with the texts that came along; others are read when they are asked for, once. */
export function viewOf(
  store: Store,
  session: Session,
  { rows, bodies }: { rows: readonly RowHeader[]; bodies: readonly MessageRow[] },
): TranscriptView {
  const headers = new Map(rows.map((row) => [row.id, row]));
  const known = new Map(bodies.map((row) => [row.id, row]));
  return {
    session,
    rows,
    async bodies(ids) {
      const missing = ids.filter((id) => !known.has(id));
      if (missing.length === 0) return known;
      for (const [id, parts] of await store.transcript.parts(session.id, missing))
        known.set(id, { ...headers.get(id)!, parts });
      return known;
    },
  };
}
