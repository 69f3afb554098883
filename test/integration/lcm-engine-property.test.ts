/** The engine on real Postgres: whatever is said, condensed, taken back, switched and repeated, nothing is lost. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenRules, lcmOf } from '../support/lcm.ts';
import { lcmConfig } from '../support/lcm-engine-world.ts';
import { LcmPostgresWorld } from '../support/lcm-postgres-world.ts';
import * as models from '../support/lcm-summarisers.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';
import { anyTurn } from '../support/transcript-arbitrary.ts';
import { undoOf } from '../support/undo.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const summarisers = [models.shrinking, models.echo, models.empty, () => models.throwingAt(2)];

type Step =
  | { kind: 'turn'; rows: Parameters<LcmPostgresWorld['append']>[0] }
  | { kind: 'compress'; summariser: number; isLocal: boolean; isOutrun: boolean }
  | { kind: 'undo' | 'chapter' | 'switch' | 'retry' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyTurn(120).map((rows): Step => ({ kind: 'turn', rows })) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('compress' as const),
      summariser: fc.nat(summarisers.length - 1),
      isLocal: fc.boolean(),
      isOutrun: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'switch' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'undo' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'chapter' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'retry' }) },
);

test('THE property: from the context every message of the session is reached exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), async (steps) => {
      const config = lcmConfig({
        fresh_tail_count: 3,
        leaf_chunk_tokens: 300,
        condensed_target_tokens: 20,
        condensed_min_fanout: 2,
        summary_prefix_target_tokens: 200,
      });
      const talk = new LcmPostgresWorld({ world, session: await world.newSession(), config });
      for (const one of steps) {
        await take(talk, one);
        if (talk.engineName === 'lcm') expect(await brokenRules(world, talk.session.sessionId)).toEqual([]);
      }
      await talk.switchTo('lcm');
      expect(await brokenRules(world, talk.session.sessionId)).toEqual([]);
    }),
    { numRuns: 12, endOnFailure: true },
  );
}, 180_000);

async function take(talk: LcmPostgresWorld, one: Step): Promise<void> {
  switch (one.kind) {
    case 'turn':
      await talk.append(one.rows);
      return;
    case 'compress':
      return compress(talk, one);
    case 'switch':
      return talk.switchTo(talk.engineName === 'lcm' ? 'compressor' : 'lcm');
    case 'chapter': {
      const plan = await (await talk.engine()).newChapter?.(await talk.view());
      if (plan) await talk.apply(plan);
      return;
    }
    case 'undo':
      return undo(talk);
    case 'retry':
      return retry(talk);
  }
}

async function compress(talk: LcmPostgresWorld, one: Extract<Step, { kind: 'compress' }>): Promise<void> {
  talk.summariser = summarisers[one.summariser]!();
  const plan = await talk.compress({ mode: one.isLocal ? 'local' : 'full' });
  // Rows that came while the summary was written are no reason to throw it away.
  if (one.isOutrun) await talk.append(outrun());
  if (plan.kind === 'plan') await talk.apply(plan);
}

const outrun = () => fc.sample(anyTurn(20), 1)[0]!;

/** The same plan twice: the second is refused and changes nothing. */
async function retry(talk: LcmPostgresWorld): Promise<void> {
  talk.summariser = models.shrinking();
  const plan = await talk.compress();
  if (plan.kind === 'none') return;
  await talk.apply(plan);
  if (plan.archive.length > 0)
    await expect(talk.apply(plan)).rejects.toMatchObject({ code: 'plan_outdated' });
}

/** Only within one engine: what was handed over is not taken back by the next. */
async function undo(talk: LcmPostgresWorld): Promise<void> {
  if (talk.engineName !== 'lcm') return;
  const before = await lcmOf(world).load(talk.session.sessionId);
  const plan = await talk.compress();
  if (plan.kind === 'none') return;
  const id = await talk.apply(plan);
  await undoOf(world, talk.session, { compactionId: id });
  const after = await lcmOf(world).load(talk.session.sessionId);
  expect(after.items.map((item) => item.id)).toEqual(before.items.map((item) => item.id));
}
