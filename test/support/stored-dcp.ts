/** States of the model-guided engine in the database, and changes with valid defaults. */
import type { DcpBlock, DcpChange, Lease, NewRow } from '@palimpsest/core';
import { createDcpStore } from '../../packages/store/src/dcp/create-dcp-store.ts';
import { taintBlocks, type TaintOptions, type Tainted } from '../../packages/store/src/dcp/taint-blocks.ts';
import { writeDcp } from '../../packages/store/src/dcp/write-dcp.ts';
import { withLease } from '../../packages/store/src/with-lease.ts';
import type { StoreWorld } from './store-world.ts';

export function dcpOf(world: StoreWorld) {
  const store = createDcpStore(world.db);
  return {
    store,
    /** A change in a transaction of its own, as with a round. */
    write: (lease: Lease, change: DcpChange, compactionId: number | null = null): Promise<void> =>
      withLease(world.db, lease, (tx) => writeDcp(tx, { sessionId: lease.sessionId, compactionId }, change)),
    taint: (lease: Lease, wish: Pick<TaintOptions, 'rowIds' | 'erase'>): Promise<Tainted> =>
      withLease(world.db, lease, (tx) => taintBlocks(tx, { sessionId: lease.sessionId, ...wish })),
  };
}

/** A block over units, as a compress call of the turn `turn-x` makes it. */
export function aBlock(wish: Partial<DcpBlock> & Pick<DcpBlock, 'number' | 'unitIds'>): DcpBlock {
  return {
    run: wish.number,
    author: 'model',
    mode: 'range',
    topic: 'choice of ports',
    batchTopic: null,
    body: 'Ports were chosen: 8080.',
    refBlocks: [],
    startRef: 'm0001',
    endRef: 'm0002',
    anchorUnit: wish.unitIds[0] ?? 1,
    consumed: [],
    origin: null,
    status: 'on',
    rawTokens: 1_000,
    summaryTokens: 100,
    durationMs: 25,
    ...wish,
  };
}

/** A round with one tool call. */
export function callRows(id: string, name = 'terminal', args = '{}'): NewRow[] {
  return [
    {
      role: 'assistant',
      kind: 'assistant',
      tokens: 30,
      parts: [{ type: 'tool_call', id, name, arguments: args }],
    },
    {
      role: 'tool',
      kind: 'tool',
      tokens: 40,
      parts: [{ type: 'tool_result', callId: id, name, text: 'done', isError: false }],
    },
  ];
}
