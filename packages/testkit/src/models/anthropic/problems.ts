import type { Refusal } from '../dialect.ts';

/** A rule walks a body and yields the service's text for each thing it would refuse. */
export type Problems = Generator<string, void, undefined>;

/** A request that is wrong in itself: 400, listed as a violation. */
export function invalidRequest(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', message, counts: 'violation' };
}
