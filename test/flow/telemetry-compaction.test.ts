/** A compaction within a turn is in the tree of the message that set it off, across the processes the message goes through. */
import { describe, test } from 'vitest';
import type { ModelScript } from '@palimpsest/testkit';
import { botApiSchema, noViolations, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';
import { attributesOf, startOtlpReceiver, treeOf, type SeenSpan } from '../support/otlp-receiver.ts';

const ada = 502;
/** The agent's trigger is 6,000, that of hygiene 6,800; a message and its answer have about 750 tokens. */
const window = 8_000;
const filler = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(20);

/** Summaries are asked for without tools. */
const script: ModelScript = (request) =>
  request.tools.length === 0
    ? { text: '## Goal\nTake the ferry to the island' }
    : { text: `Noted. ${filler}` };

const answersIn = (world: ChaosWorld): number =>
  world.heard(ada).filter((text) => text.startsWith('Noted')).length;

/** Say long messages, each after the answer to the one before, until one of the turns condensed. */
async function talkUntilCondensed(world: ChaosWorld, spans: () => SeenSpan[]): Promise<SeenSpan[]> {
  for (let said = 1; said < 16; said++) {
    world.says(ada, `Line ${said}. ${filler}`);
    await until(() => {
      const parts = spans().filter(({ name }) => name === 'delivery.part').length;
      const isTold = answersIn(world) === said && parts === world.heard(ada).length;
      if (!isTold) throw new Error(`of message ${said} ${parts} parts were traced`);
    });
    const condensed = spans().find(({ name }) => name === 'compaction');
    if (condensed) return spans().filter(({ traceId }) => traceId === condensed.traceId);
  }
  throw new Error('no turn condensed');
}

describe.skipIf(botApiSchema.missing)('with a gateway and a worker on Redis', { timeout: 120_000 }, () => {
  test('the tree from update to delivery holds the compaction, with its figures and its time', async (context) => {
    const { expect } = context;
    await using collector = await startOtlpReceiver();
    await using world = await openChaos({
      ...context,
      queue: 'redis',
      script,
      window,
      compression: { background: false },
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '50',
      },
    });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);

    const spans = await talkUntilCondensed(world, collector.spans);

    expect(treeOf(spans)).toEqual([
      'inbound.store',
      '  queue.wait',
      '  session.claim',
      '  turn',
      '    hygiene',
      '    compaction',
      '      llm.request',
      '    context.assemble',
      '    llm.request',
      '    turn.finish',
      '    delivery.part',
    ]);
    const instance = (name: string): unknown => spans.find((span) => span.name === name)?.instance;
    expect(instance('delivery.part')).toBe(instance('inbound.store'));
    expect(instance('compaction')).toBe(instance('turn'));
    expect(instance('turn')).not.toBe(instance('inbound.store'));
    const [row] = await world.sql(
      `SELECT layer, outcome, reason, (figures->>'tokensBefore')::int AS before, (figures->>'tokensAfter')::int AS after,
         (figures->>'rowsBefore')::int AS rows_before, (figures->>'rowsAfter')::int AS rows_after FROM compactions`,
    );
    expect(row).toMatchObject({ layer: 'agent', outcome: 'success', reason: 'none' });
    expect(attributesOf(spans, 'compaction')).toEqual({
      'gateway.compaction.layer': 'agent',
      'gateway.compaction.trigger': 'threshold',
      'gateway.compaction.outcome': 'success',
      'gateway.compaction.reason': 'none',
      'gateway.compaction.tokens_before': row?.before,
      'gateway.compaction.tokens_after': row?.after,
      'gateway.compaction.messages_before': row?.rows_before,
      'gateway.compaction.messages_after': row?.rows_after,
      'gateway.compaction.duration_ms': expect.any(Number) as number,
    });
    expect(worker.log()).toMatch(/"durationMs":\d+/);
    expect(JSON.stringify(spans)).not.toContain('ferry');
    noViolations(world);
  });
});
