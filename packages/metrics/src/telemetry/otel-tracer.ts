import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { failureWord, type Span, type SpanAttributes, type SpanStart, type Tracer } from '@palimpsest/core';

/** Spans of OpenTelemetry behind our port. What runs now is known per asynchronous call, for this tracer alone. */
export function otelTracer(otel: OtelTracer): Tracer {
  const running = new AsyncLocalStorage<OtelSpan>();

  function start(name: string, { parent, attributes, startedAt }: SpanStart = {}): OpenSpan {
    const context = contextOf(parent, running.getStore());
    return new OpenSpan(
      otel.startSpan(name, { attributes: { ...attributes }, startTime: startedAt }, context),
    );
  }

  return {
    start,
    async run(name, begin, work) {
      const span = start(name, begin);
      try {
        return await running.run(span.otel, () => work(span));
      } catch (thrown) {
        span.fail(failureWord(thrown));
        throw thrown;
      } finally {
        span.end();
      }
    },
  };
}

class OpenSpan implements Span {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.otel.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  set(attributes: SpanAttributes): void {
    this.otel.setAttributes({ ...attributes });
  }

  fail(what: string): void {
    this.otel.setStatus({ code: SpanStatusCode.ERROR });
    this.otel.setAttribute('error.type', what);
  }

  end(at?: Date): void {
    this.otel.end(at);
  }
}

/** A parent that cannot be read is none: the span begins a tree of its own. */
function contextOf(parent: string | undefined, running: OtelSpan | undefined): Context {
  if (parent === undefined) return running ? trace.setSpan(ROOT_CONTEXT, running) : ROOT_CONTEXT;
  const context = readTraceparent(parent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

function readTraceparent(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
