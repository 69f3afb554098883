import type { Refusal } from '../dialect.ts';

/** One thing the service would refuse: its text, and the `param` and `code` of the error body. */
export interface Problem {
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly status: number;
}

/** A rule walks a body and yields what the service would refuse. */
export type Problems = Generator<Problem, void, undefined>;

/** A problem, answered with 400 unless a status says otherwise. */
export function problem(
  message: string,
  param: string | null = null,
  more: { code?: string; status?: number } = {},
): Problem {
  return { message, param, code: more.code ?? null, status: more.status ?? 400 };
}

export function missing(param: string): Problem {
  return problem(`Missing required parameter: '${param}'.`, param, { code: 'missing_required_parameter' });
}

export function unknown(param: string): Problem {
  return problem(`Unknown parameter: '${param}'.`, param, { code: 'unknown_parameter' });
}

export function invalidValue(
  param: string,
  value: unknown,
  { allowed }: { allowed: readonly string[] },
): Problem {
  const names = allowed.map((name) => `'${name}'`).join(', ');
  const message = `Invalid value: '${String(value)}'. Supported values are: ${names}.`;
  return problem(message, param, { code: 'invalid_value' });
}

export function invalidType(param: string, wanted: string, value: unknown): Problem {
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  const message = `Invalid type for '${param}': expected ${wanted}, but got ${got} instead.`;
  return problem(message, param, { code: 'invalid_type' });
}

/** A request that is wrong in itself, listed as a violation. */
export function invalidRequest({ message, param, code, status }: Problem): Refusal {
  return { status, type: 'invalid_request_error', message, param, code, counts: 'violation' };
}
