import {
  activeBlocks,
  blockActivity,
  blocksByNumber,
  coveredUnits,
  shownTokens,
  type DcpBlockStatus,
} from '@palimpsest/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupUnits } from '../../../packages/engines/src/dcp/refs/group-units.ts';
import { applyChange } from '../../../packages/engines/src/dcp/state/apply-change.ts';
import { CompressWorld, dcpConfig } from '../../support/compress-world.ts';

/** What can happen to a session; refs are chosen by a number that is brought into range when it happens. */
type Step =
  | { kind: 'talk'; words: number; results: number }
  | { kind: 'compress'; from: number; length: number; words: number; parts: number; asBlock: boolean }
  | { kind: 'message'; at: number; words: number }
  | { kind: 'status'; block: number; status: DcpBlockStatus }
  | { kind: 'undo' };

const whole = (max: number) => fc.integer({ min: 0, max });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('talk' as const),
      words: fc.integer({ min: 10, max: 120 }),
      results: whole(2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('compress' as const),
      from: whole(60),
      length: whole(12),
      words: fc.oneof({ weight: 4, arbitrary: whole(8) }, { weight: 1, arbitrary: whole(120) }),
      parts: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) }),
      asBlock: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('message' as const), at: whole(60), words: whole(20) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      block: whole(5),
      status: fc.constantFrom<DcpBlockStatus>('on', 'user_off'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
);

const aTalk: Step = { kind: 'talk', words: 60, results: 1 };
const anyHistory = fc
  .array(anyStep, { minLength: 4, maxLength: 24 })
  .map((steps): readonly Step[] => [aTalk, aTalk, aTalk, ...steps]);

const refOf = (number: number): string => `m${String(number).padStart(4, '0')}`;

async function take(world: CompressWorld, step: Step): Promise<void> {
  // Mostly below the newest messages, which cannot be compressed.
  const most = Math.max(1, world.state.nextRef - 4);
  switch (step.kind) {
    case 'talk':
      world.person(`please ${'do '.repeat(step.words)}`);
      for (let result = 0; result < step.results; result++)
        world.round([{ output: 'line '.repeat(step.words * 2) }, { output: 'ok' }]);
      world.answer('word '.repeat(step.words));
      return world.number();
    case 'compress': {
      const content = Array.from({ length: step.parts }, (_, part) => {
        const from = ((step.from + part * (step.length + 1)) % most) + 1;
        const startId = step.asBlock
          ? `b${(step.from % Math.max(1, world.state.blocks.length)) + 1}`
          : refOf(from);
        return {
          startId,
          endId: refOf(Math.min(most, from + step.length)),
          summary: `s${'um '.repeat(step.words)}`,
        };
      });
      await world.range(content);
      return undefined;
    }
    case 'message': {
      world.config = dcpConfig({}, { mode: 'message' });
      const messageId = refOf((step.at % most) + 1);
      const content = [{ messageId, topic: 'one', summary: `s${'um '.repeat(step.words)}` }];
      await world.compress({ topic: 'single', content });
      world.config = dcpConfig();
      return undefined;
    }
    case 'status': {
      const blocks = world.state.blocks.length;
      if (blocks === 0) return undefined;
      const statuses = [{ block: (step.block % blocks) + 1, status: step.status }];
      world.state = applyChange(world.state, { baseVersion: world.state.version, statuses });
      return undefined;
    }
    case 'undo': {
      const from = world.rows.findLastIndex((row) => row.kind === 'person');
      if (from > 0) world.withdraw(world.rows.slice(from).map((row) => row.id));
      return undefined;
    }
  }
}

/** What must hold after every step. */
function expectSound(world: CompressWorld): void {
  const { state, rows } = world;
  const blocks = blocksByNumber(state);
  const active = activeBlocks(state, blockActivity(state, { rows, isWhole: true }));
  const units = new Set(groupUnits(rows).map((unit) => unit.id));
  const seen = new Set<number>();
  for (const block of active)
    for (const id of coveredUnits(block, blocks)) {
      expect(seen.has(id), `unit ${id} is under two active blocks`).toBe(false);
      expect(units.has(id), `unit ${id} under b${block.number} is not there`).toBe(true);
      seen.add(id);
    }
  expect(state.blocks.map((block) => block.number)).toEqual(state.blocks.map((_, index) => index + 1));
  for (const block of state.blocks) {
    expect(block.refBlocks.every((inner) => block.consumed.includes(inner))).toBe(true);
    expect(block.consumed.every((inner) => inner < block.number)).toBe(true);
    expect(block.unitIds.every((id) => state.refs.has(id))).toBe(true);
    expect(shownTokens(block, blocks)).toBeGreaterThan(0);
  }
  const numbers = [...state.refs.values()];
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(Math.max(0, ...numbers)).toBeLessThan(state.nextRef);
}

test('any sequence of calls, undos and switches keeps the state valid and hides no message twice', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = new CompressWorld();
      for (const step of history) {
        await take(world, step);
        expectSound(world);
      }
    }),
    { numRuns: 150 },
  );
});

test('rows are never touched, whatever is called', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => {
      const world = new CompressWorld();
      const kept = new Map<number, string>();
      for (const step of history) {
        await take(world, step);
        for (const row of world.rows) {
          const text = JSON.stringify(row);
          expect(kept.get(row.id) ?? text).toBe(text);
          kept.set(row.id, text);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('a call that is made twice does nothing the second time; one that failed left no trace but its count', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, whole(30), whole(10), async (history, from, length) => {
      const world = new CompressWorld();
      for (const step of history) await take(world, step);
      world.number();
      const args = {
        topic: 'once',
        content: [{ startId: refOf(from + 1), endId: refOf(from + 1 + length), summary: 'short' }],
      };
      const before = world.state;

      const first = await world.tryCompress(args, { callId: 'once' });
      const after = applyChange(before, first.change!);
      world.state = after;
      const second = await world.tryCompress(args, { callId: 'once' });

      if (first.written) {
        expect(second.change).toBeNull();
        expect(after.version).toBe(before.version + 1);
        expect(JSON.parse(second.result.text)).toMatchObject({
          created_blocks: first.written.blocks.map((block) => `b${block.number}`),
          net_tokens: first.written.removedTokens - first.written.summaryTokens,
        });
      } else {
        expect({ ...after, counters: before.counters }).toEqual(before);
      }
    }),
    { numRuns: 100 },
  );
});
