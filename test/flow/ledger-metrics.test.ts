/** Rates come from /metrics and single attempts from the ledger and the log: all tell of the same attempts, by the same words. */
import { silentLogger, type Logger } from '@palimpsest/core';
import { createMeter } from '@palimpsest/metrics';
import { expect, test } from 'vitest';
import { deleted, sayPhrase } from '../support/deletions.ts';
import { inLedger, inMetrics, query } from '../support/ledger-attempts.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

/** Begun by a process that died: announced in the ledger and never closed by it. */
async function leaveOrphan(world: TurnWorld): Promise<void> {
  const sessionId = await world.sessionId();
  const session = await world.store.turns.session(sessionId);
  await world.store.compactions.open({
    sessionId,
    epoch: session!.epoch - 1,
    engine: 'compressor',
    layer: 'agent',
    trigger: 'threshold',
    windowTokens: 8_000,
    windowSource: 'config',
    thresholdRaw: 0.5,
    triggerTokens: 6_000,
    mainModel: 'm',
  });
}

/** Keeps what the log says of attempts: `id outcome reason`. */
function readLog(): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const info = (fields: object, message: string): void => {
    const { compactionId, outcome, reason } = fields as Record<string, unknown>;
    if (message === 'compaction') lines.push([compactionId, outcome, reason].join(' '));
  };
  return { lines, logger: { ...silentLogger, info } };
}

test('automatic, manual and declined attempts, an undo, an erasure and an orphan are in the ledger and in /metrics alike', async () => {
  const meter = createMeter({ strict: true });
  const { lines, logger } = readLog();
  let isRefused = false;
  await using world = await openTurnWorld({
    script: (request) => (request.tools.length === 0 && isRefused ? { fault: 'auth' } : answering()(request)),
    window: 8_000,
    meter,
    logger,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 1);
  const messageId = await sayPhrase(world);
  await talk(world, 9);
  await ask(world, '/compress');
  await ask(world, '/undo_compaction');
  await ask(world, '/compress');
  // A message under the summary: the erasure says in the ledger that it stands no more.
  expect(await deleted(world, messageId)).toMatch(/, [1-9]\d* summaries\.$/);
  isRefused = true;
  await talk(world, 9);
  await leaveOrphan(world);
  await until(async () => (await inLedger(world))['agent threshold failed lease_lost'] === 1);
  await until(async () => (await inMetrics(meter))['agent threshold failed lease_lost'] === 1);

  const ledger = await inLedger(world);
  expect(await inMetrics(meter)).toEqual(ledger);
  expect(ledger['manual undo success none']).toBe(2);
  expect(Object.keys(ledger)).toEqual(
    expect.arrayContaining([
      'agent threshold success none',
      'agent threshold skipped cooldown',
      'agent threshold failed lease_lost',
    ]),
  );
  // What is taken back and what the sweeper closes have lines of their own.
  const rows = await query<{ line: string }>(
    world,
    `SELECT concat_ws(' ', id, outcome, reason) AS line FROM compactions
     WHERE trigger <> 'undo' AND reason <> 'lease_lost' ORDER BY id`,
  );
  expect(lines).toEqual(rows.map(({ line }) => line));
  const unwritten = await query<{ key: string }>(
    world,
    `SELECT key FROM compactions, jsonb_each(to_jsonb(compactions)) GROUP BY key
     HAVING bool_and(value IN ('null', '""', 'false')) ORDER BY key`,
  );
  // Of the lossless engine and of a rotation: tests of their own.
  expect(unwritten.map(({ key }) => key)).toEqual(['details', 'old_session_id']);
}, 120_000);

test('the row of a compaction tells what was asked, what the summary took, and the cache before and after it', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 8_000,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 16);

  const rows = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 20 });

  const applied = rows.filter(({ outcome, strategy }) => outcome === 'success' && strategy === 'full');
  expect(applied.length).toBeGreaterThan(1);
  const [second, first] = applied.slice(-2);
  for (const row of [first, second])
    expect(row).toMatchObject({
      windowSource: 'config',
      windowTokens: 8_000,
      thresholdRaw: 0.5,
      epochBefore: row?.epochAfter,
      messagesDeferred: 0,
      userNotified: false,
      figures: {
        summaryCacheReadTokens: expect.any(Number) as number,
        summaryCacheWriteTokens: expect.any(Number) as number,
      },
    });
  expect(first?.figures?.summaryDollars).toBeGreaterThan(0);
  expect(first?.cacheShareBefore).toBeGreaterThan(0.5);
  expect(first?.cacheShareAfter).toBeLessThan(first?.cacheShareBefore ?? 0);
  expect(first?.previousSummaryId).toBeNull();
  expect(second?.previousSummaryId).toBe(first?.writtenRows[0]);
  expect(first?.archivedSeqs?.last).toBeLessThan(second?.archivedSeqs?.last ?? 0);
}, 60_000);

test.each([
  ['compressor', 'compression: {threshold: 0.6}', 0.6],
  ['lcm', 'context: {engine: lcm, lcm: {context_threshold: 0.8}}', 0.8],
  ['dcp', 'context: {engine: dcp, dcp: {compress: {maxContextLimit: 4800, minContextLimit: 4000}}}', 0.6],
])(
  '%s: the row of an attempt has the threshold of its own part of the config',
  async (engine, config, thresholdRaw) => {
    await using world = await openTurnWorld({ script: answering(), window: 8_000, config });
    await talk(world, 6);
    await ask(world, '/compress');

    const rows = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 1 });

    expect(rows).toMatchObject([{ engine, thresholdRaw }]);
  },
  60_000,
);
