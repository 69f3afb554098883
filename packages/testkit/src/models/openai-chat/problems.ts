import type { Refusal } from '../dialect.ts';

/** One thing the service would refuse: its text, and the `param` and `code` of the error body. */
export interface Problem {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** A rule walks a body and yields what the service would refuse. */
export type Problems = Generator<Problem, void, undefined>;

/** A problem; most have no code. */
export function problem(message: string, param: string | null = null, code: string | null = null): Problem {
  return { message, param, code };
}

/** A request that is wrong in itself: 400, listed as a violation. */
export function invalidRequest({ message, param, code }: Problem): Refusal {
  return { status: 400, type: 'invalid_request_error', message, param, code, counts: 'violation' };
}
