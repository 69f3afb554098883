/** Crashes of the worker in a sweep of the lossless engine: the old context stays or the new one stands, and nothing is lost. */
import { describe, expect, test } from 'vitest';
import type { ModelScript } from '@palimpsest/testkit';
import type { StatementPoint } from '../support/chaos/hold-statement.ts';
import { answerText, gate, marksIn, type Gate } from '../support/chaos/scripts.ts';
import { startStorm } from '../support/chaos/storm.ts';
import { botApiSchema, noViolations, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';

const ada = 502;
/** The trigger is 6,000; a message and its answer have about 1,500 tokens. */
const window = 8_000;
const inline = { background: false };
const context = { engine: 'lcm', lcm: { fresh_tail_count: 2, leaf_chunk_tokens: 2_000 } };
const filler = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(40);

/** Summaries are asked for without tools. The first of them waits at the gate, if there is one. */
function talking(summary?: Gate): ModelScript {
  return async (request) => {
    if (request.tools.length > 0) return { text: `${answerText(request)}. ${filler}` };
    await summary?.pass();
    return { text: 'They take the ferry to the island.\nExpand for details about: the ferry' };
  };
}

/** One transaction: whatever was written before the step is gone with it. */
const steps: readonly (readonly [step: string, point: StatementPoint])[] = [
  ['the summary is written', { table: 'lcm_summaries', event: 'INSERT' }],
  ['it takes its place in the context', { table: 'lcm_context_items', event: 'INSERT' }],
  ['the event is written', { table: 'events', event: 'INSERT', when: `NEW.type = 'session:compress'` }],
];

describe.skipIf(botApiSchema.missing)('a crash of the worker in a sweep', () => {
  test.for(steps)(
    'when %s: nothing of it is left, and the next one condenses and answers',
    async ([, point], hooks) => {
      await using world = await openChaos({
        ...hooks,
        queue: 'redis',
        script: talking(),
        window,
        compression: inline,
        context,
      });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      await using held = await world.hold(point);
      const marks = await talkUntil(world, () => held.reached());

      await worker.kill();
      await held.release();
      expect(await countsOf(world)).toMatchObject({ summaries: 0, items: 0, archived: 0 });
      await world.start('worker');

      await talkUntilCondensed(world, marks);

      expect((await countsOf(world)).items).toBeGreaterThan(0);
      expect(await notReachedOnce(world)).toEqual([]);
    },
  );

  test('while the summary model writes: the context is as it was, and the next one asks again', async (hooks) => {
    const summary = gate();
    const script = talking(summary);
    await using world = await openChaos({
      ...hooks,
      queue: 'postgres',
      script,
      window,
      compression: inline,
      context,
    });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    const marks = await talkUntil(world, () => summary.reached);

    await worker.kill();
    summary.open();
    expect(await countsOf(world)).toMatchObject({ summaries: 0, items: 0, archived: 0 });
    await world.start('worker');
    await talkUntilCondensed(world, marks);

    expect((await countsOf(world)).items).toBeGreaterThan(0);
    expect(await notReachedOnce(world)).toEqual([]);
  });
});

describe.skipIf(botApiSchema.missing)('two workers under the lossless engine', () => {
  test('killed again and again while they condense: from the contexts every message is reached once', async (hooks) => {
    await using world = await openChaos({
      ...hooks,
      queue: 'redis',
      script: async (request) => ({ ...(await talking()(request)), delayMs: 100 }),
      window,
      context,
      worker: { max_turn_attempts: 50, max_texts_per_turn: 1 },
    });
    const chats = Array.from({ length: 2 }, (_, index) => 600 + index);
    const marks = Array.from({ length: 6 }, (_, index) => `m${index + 1}`);
    const [, first, second] = await Promise.all([
      world.start('gateway'),
      world.start('worker'),
      world.start('worker'),
    ]);
    const storm = startStorm({
      workers: [first, second],
      everyMs: 900,
      start: () => world.run(['apps/cli/src/main.ts', 'worker']),
    });

    for (const [index, mark] of marks.entries()) {
      for (const chat of chats) world.says(chat, `${mark} ${filler}`);
      await until(() => expect(storm.kills).toBeGreaterThanOrEqual(2 * (index + 1)), 60_000);
    }
    await storm.stop();
    for (const chat of chats) await world.answeredOnce(chat, marks);

    expect((await countsOf(world)).items).toBeGreaterThan(0);
    expect(await notReachedOnce(world)).toEqual([]);
    noViolations(world);
  }, 400_000);
});

/** Say long messages, each after the answer to the one before, until the sweep is under way. */
async function talkUntil(world: ChaosWorld, reached: () => Promise<void>): Promise<string[]> {
  const seen = { isReached: false };
  const look = (tries: number): Promise<unknown> =>
    reached().then(
      () => (seen.isReached = true),
      // It gives up after 20 s, in which a busy machine has not come so far.
      () => tries > 0 && look(tries - 1),
    );
  void look(4);
  const marks: string[] = [];
  const answered = (): string[] => world.heard(ada).flatMap(marksIn);
  while (!seen.isReached && marks.length < 9) {
    marks.push(`m${marks.length + 1}`);
    world.says(ada, `${marks.at(-1)!} ${filler}`);
    await until(() => expect(seen.isReached || answered().length === marks.length).toBe(true));
  }
  expect(seen.isReached).toBe(true);
  return marks;
}

/** All is answered; a sweep that was made while nobody waited is made again when there is need. */
async function talkUntilCondensed(world: ChaosWorld, marks: string[]): Promise<void> {
  await world.answeredOnce(ada, marks);
  while ((await countsOf(world)).items === 0 && marks.length < 12) {
    marks.push(`m${marks.length + 1}`);
    world.says(ada, `${marks.at(-1)!} ${filler}`);
    await world.answeredOnce(ada, marks);
  }
}

async function countsOf(world: ChaosWorld): Promise<Record<string, number>> {
  const [counts] = await world.sql(`SELECT
    (SELECT count(*) FROM lcm_summaries)::int AS summaries,
    (SELECT count(*) FROM lcm_context_items WHERE active = 1)::int AS items,
    (SELECT count(*) FROM messages WHERE active = 1)::int AS live,
    (SELECT count(*) FROM messages WHERE active = 0)::int AS archived`);
  return counts as Record<string, number>;
}

/** Messages that one does not reach exactly once from the context: by themselves, or under the summaries that stand in it. */
function notReachedOnce(world: ChaosWorld): Promise<Record<string, unknown>[]> {
  return world.sql(`WITH RECURSIVE under AS (
      SELECT session_id, summary_id FROM lcm_context_items WHERE active = 1
      UNION ALL
      SELECT u.session_id, s.source_summary_id FROM under u
      JOIN lcm_summary_sources s ON s.session_id = u.session_id AND s.summary_id = u.summary_id
    ), reached AS (
      SELECT e.session_id, e.message_id FROM under u
      JOIN lcm_summary_messages e ON e.session_id = u.session_id AND e.summary_id = u.summary_id
      UNION ALL
      SELECT session_id, id FROM messages WHERE active = 1
    )
    SELECT m.session_id, m.id, count(r.message_id)::int AS times
    FROM messages m LEFT JOIN reached r ON r.session_id = m.session_id AND r.message_id = m.id
    WHERE m.replaces IS NULL AND (m.active = 1 OR m.compacted = 1)
    GROUP BY m.session_id, m.id HAVING count(r.message_id) <> 1`);
}
