import { GatewayError } from '../errors.ts';

/** Ids of ours, words of closed lists and figures. Never what somebody said, a person's name, a token or a file's address. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** W3C traceparent of the span that it belongs to; left out: the one that runs now, else it begins a tree. */
  parent?: string;
  attributes?: SpanAttributes;
  /** Left out: now. */
  startedAt?: Date;
}

/** One step of the way of a message. */
export interface Span {
  /** To be kept beside what another process goes on with; null: nothing is traced. */
  readonly traceparent: string | null;
  set(attributes: SpanAttributes): void;
  /** It failed; `what` is a word of a closed list. */
  fail(what: string): void;
  /** `at` left out: now. */
  end(at?: Date): void;
}

/** Where the steps of a message's way go. Nothing here ever throws or waits. */
export interface Tracer {
  start(name: string, begin?: SpanStart): Span;
  /** Run `work` as a span that ends with it: whatever begins meanwhile belongs to it, and a throw marks it as failed. */
  run<Result>(name: string, begin: SpanStart, work: (span: Span) => Promise<Result>): Promise<Result>;
}

const silentSpan: Span = { traceparent: null, set() {}, fail() {}, end() {} };

export const silentTracer: Tracer = {
  start: () => silentSpan,
  run: (_name, _begin, work) => work(silentSpan),
};

/** What is traced may be left out wherever it is handed in: then it only runs. */
export function traced<Result>(
  { tracer = silentTracer }: { tracer?: Tracer },
  name: string,
  { work, ...begin }: SpanStart & { work(span: Span): Promise<Result> },
): Promise<Result> {
  return tracer.run(name, begin, work);
}

/** The word for an error in a span: its code, else the name of its class. */
export function failureWord(thrown: unknown): string {
  if (thrown instanceof GatewayError) return thrown.code;
  return thrown instanceof Error ? thrown.name : 'unknown';
}
