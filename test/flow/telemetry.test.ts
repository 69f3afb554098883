/** Traces and metrics for an OTLP collector, of the whole service as a process. */
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import type { ModelScript } from '@palimpsest/testkit';
import { launch, untilRunning } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { attributesOf, startOtlpReceiver, treeOf } from '../support/otlp-receiver.ts';
import { botApiSchema, openServiceWorld, until } from '../support/service-world.ts';

const timeout = 120_000;
const said = 'the kingfisher nests at Brook Lane';
const answered = 'I noted the kingfisher.';

/** One tool round, then the answer. */
const script: ModelScript = (request) =>
  request.messages.some((message) => message.toolResults.length > 0)
    ? { text: answered }
    : { toolCalls: [{ name: 'session_search', arguments: { query: 'kingfisher' } }] };

/** Names the loaded files of OpenTelemetry's SDK on standard error. */
const tellTale = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ resolve(specifier, context, next) {
     if (/^@opentelemetry\\/(?!api$)/.test(specifier)) process.stderr.write('LOADED ' + specifier + '\\n');
     return next(specifier, context);
   } });`,
)}`;

describe.skipIf(botApiSchema.missing)('telemetry', { timeout }, () => {
  test('one message is one tree, from the update over claim, model and tool to the sent part, and nobody reads in it what was said', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using collector = await startOtlpReceiver();
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      script,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=birds',
        OTEL_SERVICE_NAME: 'palimpsest-test',
        OTEL_BSP_SCHEDULE_DELAY: '100',
        OTEL_METRIC_EXPORT_INTERVAL: '500',
      },
    });
    await world.start();

    world.telegram.userSends({ chatId: 1, text: said });
    await until(() => expect(world.heard(1)).toEqual([answered]));
    await until(() => expect(collector.spans().map(({ name }) => name)).toContain('delivery.part'));
    await until(() => expect(counterOf('gateway_turns_total')).toEqual([1]));

    const spans = collector.spans().filter(({ name }) => name !== 'maintenance');
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(treeOf(spans)).toEqual([
      'inbound.store',
      '  queue.wait',
      '  session.claim',
      '  turn',
      '    hygiene',
      '    context.assemble',
      '    llm.request',
      '    tool.session_search',
      '    context.assemble',
      '    llm.request',
      '    turn.finish',
      '    delivery.part',
    ]);
    expect(attributesOf(spans, 'llm.request')).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'claude-sonnet-5',
      'gateway.purpose': 'turn',
    });
    expect(attributesOf(spans, 'turn.finish')).toMatchObject({ 'gateway.turn.outcome': 'answered' });
    const sent = collector.requests.map(({ body }) => body.toString('utf8')).join('\n');
    for (const secret of ['kingfisher', 'Brook Lane', world.telegram.token, 'User 1'])
      expect([sent.includes(secret), logOf(world.folder).includes(secret)], secret).toEqual([false, false]);
    expect(logOf(world.folder)).toContain('part sent');
    expect(JSON.stringify(collector.resources()[0])).toContain('palimpsest-test');
    expect(collector.requests[0]?.headers).toMatchObject({ 'x-team': 'birds' });
    const histogram = collector.metrics().findLast(({ name }) => name === 'gateway_turn_duration_seconds');
    const [point] = histogram?.histogram?.dataPoints ?? [];
    expect(point?.count).toBe(1);
    expect(point?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(point?.bucketCounts.length).toBe((point?.explicitBounds.length ?? 0) + 1);

    function counterOf(name: string): (number | undefined)[] | undefined {
      return collector
        .metrics()
        .findLast((metric) => metric.name === name)
        ?.sum?.dataPoints.map(({ asDouble }) => asDouble);
    }
  });

  test('by default it is sent as protocol buffers; a collector of one signal gets only that', async ({
    expect,
  }) => {
    await using database = await createTestDatabase();
    await using collector = await startOtlpReceiver();
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      script: () => ({ text: answered }),
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    const program = await world.start();

    world.telegram.userSends({ chatId: 1, text: said });
    await until(() => expect(world.heard(1)).toEqual([answered]));
    await program.stop('SIGTERM');

    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/own/path']));
    const [first] = collector.requests;
    expect(first?.contentType).toBe('application/x-protobuf');
    const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
    expect(sent).toContain('delivery.part');
    expect(sent).not.toContain('kingfisher');
  });

  test('a collector that is away costs no answer, and its absence is logged in words', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using world = await openServiceWorld({
      databaseUrl: database.url,
      script: () => ({ text: answered }),
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    const program = await world.start();

    world.telegram.userSends({ chatId: 1, text: said });
    await until(() => expect(world.heard(1)).toEqual([answered]));
    await until(() =>
      expect(logOf(world.folder)).toContain(
        'traces or metrics could not be sent; look whether the OTLP collector answers',
      ),
    );
    const ended = await program.stop('SIGTERM');

    expect(ended).toEqual({ code: 0, signal: null });
  });

  test('without the variables nothing of OpenTelemetry is loaded', async ({ expect }) => {
    await using database = await createTestDatabase();
    await using collector = await startOtlpReceiver();
    await using world = await openServiceWorld({ databaseUrl: database.url, script });
    const start = async (env: Readonly<Record<string, string>>) => {
      const command = ['apps/cli/src/main.ts', 'up'];
      const base = { DATABASE_URL: database.url, PORT: '0', ANTHROPIC_API_KEY: 'test' };
      const program = launch({
        command,
        env: { ...base, ...env },
        folder: world.folder,
        imports: [tellTale],
      });
      await untilRunning(program);
      await program.stop('SIGTERM');
      return program.log().includes('LOADED @opentelemetry/sdk-trace');
    };

    const off = await start({});
    const on = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });

    expect({ off, on }).toEqual({ off: false, on: true });
  });
});

function logOf(folder: string): string {
  return readFileSync(`${folder}/data/palimpsest.log`, 'utf8');
}
