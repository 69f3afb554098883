/** An OTLP collector over HTTP, so far as tests need one: it keeps what is sent to it, as it came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OtlpRequest {
  path: string;
  contentType: string;
  headers: Readonly<Record<string, unknown>>;
  body: Buffer;
}

export interface SeenSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes: Attribute[];
  /** Which process it is from. */
  instance: unknown;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

export interface SeenMetric {
  name: string;
  sum?: { isMonotonic: boolean; dataPoints: DataPoint[] };
  gauge?: { dataPoints: DataPoint[] };
  histogram?: {
    dataPoints: (DataPoint & { bucketCounts: number[]; explicitBounds: number[]; count: number })[];
  };
}

interface DataPoint {
  asDouble?: number;
  attributes: { key: string; value: { stringValue?: string } }[];
}

interface ResourceSpans {
  resource: { attributes: Attribute[] };
  scopeSpans: { spans: Omit<SeenSpan, 'instance'>[] }[];
}

export async function startOtlpReceiver() {
  const requests: OtlpRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      requests.push({
        path: url,
        contentType: headers['content-type'] ?? '',
        headers,
        body: Buffer.concat(chunks),
      });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bodies = (path: string) =>
    requests
      .filter((one) => one.path === path)
      .map((one) => JSON.parse(one.body.toString('utf8')) as Record<string, unknown>);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Of JSON requests. */
    spans: (): SeenSpan[] =>
      bodies('/v1/traces').flatMap(({ resourceSpans }) =>
        (resourceSpans as ResourceSpans[]).flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({ ...span, instance: valuesOf(resource)['service.instance.id'] })),
          ),
        ),
      ),
    metrics: (): SeenMetric[] =>
      bodies('/v1/metrics').flatMap(({ resourceMetrics }) =>
        (resourceMetrics as { scopeMetrics: { metrics: SeenMetric[] }[] }[]).flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ),
      ),
    resources: (): unknown[] =>
      bodies('/v1/traces').flatMap(({ resourceSpans }) =>
        (resourceSpans as { resource: unknown }[]).map(({ resource }) => resource),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The tree as lines, children in the order of their start; the hash of ids left out. */
export function treeOf(spans: readonly SeenSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const lines = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === undefined ? !parentSpanId || !ids.has(parentSpanId) : parentSpanId === parent,
      )
      .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...lines(span.spanId, depth + 1)]);
  return lines(undefined, 0);
}

/** Attributes of the first span of this name. */
export function attributesOf(spans: readonly SeenSpan[], name: string): Record<string, unknown> {
  return valuesOf(spans.find((one) => one.name === name));
}

function valuesOf(from: { attributes: Attribute[] } | undefined): Record<string, unknown> {
  return Object.fromEntries((from?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}
