/** One call from raw parameters to a checked result: decode → check → carry out → check. */
import { ApiError, badRequest } from './api-error.ts';
import { handlers } from './methods/index.ts';
import type { RawCall } from './read-call.ts';
import type { MethodSpec } from './schema.ts';
import type { CallContext, ServerState } from './server-state.ts';
import type { Params } from './types.ts';
import { undoCoding } from './undo-coding.ts';

/**
 * Undo the coding and note every breach of the schema as a violation.
 *
 * throws  ApiError 400 where the real server could not go on; unlisted parameters it ignores
 */
export function readParams(state: ServerState, spec: MethodSpec, call: RawCall): Params {
  const { params, problems } = undoCoding(spec, call);
  const breaches = state.checker.checkParams(spec, params);
  state.violations.push(...problems, ...breaches);
  const fatal = [...problems, ...breaches].find((breach) => !breach.endsWith('is not in the schema'));
  if (fatal !== undefined) throw badRequest(fatal);
  const listed = new Set((spec.fields ?? []).map((field) => field.name));
  return Object.fromEntries(Object.entries(params).filter(([name]) => listed.has(name)));
}

/** Carry out a method and check the fake's own result; throws ApiError for refusals. */
export async function runMethod(
  state: ServerState,
  spec: MethodSpec,
  { params, call }: { params: Params; call: CallContext },
): Promise<unknown> {
  const handler = handlers[spec.name];
  if (!handler) {
    state.violations.push(`the fake does not offer ${spec.name}`);
    throw badRequest('the fake does not offer this');
  }
  const result: unknown = await handler(state, params, call);
  // Updates were checked when they were pushed, and a test may push unchecked ones on purpose.
  if (spec.name === 'getUpdates') return result;
  const faults = state.checker.check(spec.returns, result, `result of ${spec.name}`);
  if (faults.length > 0) throw internal(state, faults.join('; '));
  return result;
}

/** A fault of the fake itself: 500 for the bot, a violation for the test. */
export function internal(state: ServerState, what: string): ApiError {
  state.violations.push(`the fake itself is at fault: ${what}`);
  return new ApiError({ error_code: 500, description: 'Internal Server Error' });
}
