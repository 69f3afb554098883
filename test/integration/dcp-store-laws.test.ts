import {
  dcpCounters,
  emptyDcpState,
  type DcpBlockStatus,
  type DcpChange,
  type DcpMarkReason,
  type DcpState,
} from '@palimpsest/core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyChange } from '../../packages/engines/src/dcp/state/apply-change.ts';
import { aBlock, dcpOf } from '../support/stored-dcp.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A change before it is known on which state it is made. */
interface Wish {
  refs: number;
  blocks: number;
  marks: readonly { unitId: number; call: number; reason: DcpMarkReason; tokens: number }[];
  status: DcpBlockStatus | null;
  manualMode: boolean | undefined;
  grant: DcpChange['grant'];
  restCalls: number | null;
  counter: (typeof dcpCounters)[number] | null;
  reset: boolean;
  /** Made on the state before the last one. */
  isStale: boolean;
}

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: 2, nil: undefined });

const anyWish: fc.Arbitrary<Wish> = fc.record({
  refs: fc.integer({ min: 0, max: 3 }),
  blocks: fc.integer({ min: 0, max: 2 }),
  marks: fc.array(
    fc.record({
      unitId: fc.integer({ min: 1, max: 6 }),
      call: fc.integer({ min: 1, max: 3 }),
      reason: fc.constantFrom<DcpMarkReason>('duplicate', 'error_input', 'sweep', 'oversized'),
      tokens: fc.integer({ min: 0, max: 500 }),
    }),
    { maxLength: 3 },
  ),
  status: fc.option(fc.constantFrom<DcpBlockStatus>('on', 'user_off', 'tainted'), { freq: 2 }),
  manualMode: maybe(fc.boolean()),
  grant: maybe(fc.option(fc.record({ focus: fc.option(fc.string()), isShown: fc.boolean() }))),
  restCalls: fc.option(fc.integer({ min: 0, max: 9 })),
  counter: fc.option(fc.constantFrom(...dcpCounters)),
  reset: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  isStale: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
});

let unit = 1_000;

function changeOf(state: DcpState, wish: Wish): DcpChange {
  const first = wish.reset ? [] : state.blocks;
  return {
    baseVersion: state.version,
    refs: Array.from({ length: wish.refs }, (_, index) => ({
      unitId: ++unit,
      number: state.nextRef + index,
    })),
    blocks: Array.from({ length: wish.blocks }, (_, index) =>
      aBlock({
        number: state.nextBlock + index,
        run: state.nextRun,
        unitIds: [unit],
        consumed: first.map((block) => block.number),
      }),
    ),
    marks: wish.marks.map(({ unitId, call, reason, tokens }) => ({
      unitId,
      callId: `call-${call}`,
      reason,
      run: state.nextRun,
      tokens,
    })),
    statuses:
      wish.status === null || first.length === 0 ? [] : [{ block: first[0]!.number, status: wish.status }],
    manualMode: wish.manualMode,
    grant: wish.grant,
    nudge: wish.restCalls === null ? undefined : { ...state.nudge, restCalls: wish.restCalls },
    counts: wish.counter === null ? undefined : { [wish.counter]: 2 },
    reset: wish.reset,
  };
}

/** Marks have no order of their own. */
function comparable(state: DcpState): DcpState {
  const key = ({ unitId, callId }: DcpState['marks'][number]): string => `${unitId} ${callId}`;
  return { ...state, marks: [...state.marks].sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
}

test('whatever changes follow each other, table and memory agree, and a stale one leaves both as they are', async () => {
  const dcp = dcpOf(world);
  await fc.assert(
    fc.asyncProperty(fc.array(anyWish, { minLength: 1, maxLength: 7 }), async (wishes) => {
      const { lease, sessionId } = await world.newSession();
      let state = emptyDcpState();
      let before: DcpState | null = null;
      for (const wish of wishes) {
        const isStale = wish.isStale && before !== null && before.version !== state.version;
        const change = changeOf(isStale ? before! : state, wish);
        if (isStale) {
          await expect(dcp.write(lease, change)).rejects.toMatchObject({ code: 'plan_outdated' });
          continue;
        }
        await dcp.write(lease, change);
        before = state;
        state = applyChange(state, change);
        expect(comparable(await dcp.store.load(sessionId))).toEqual(comparable(state));
      }
    }),
    { numRuns: 40 },
  );
});
