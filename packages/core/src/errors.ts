/** Every code an error of ours may carry; a new one is added here and nowhere else. */
export type ErrorCode =
  | 'config_invalid'
  | 'database_unavailable'
  | 'database_full'
  | 'database_error'
  | 'queue_unavailable'
  | 'schema_too_new'
  | 'data_folder_in_use'
  | 'lease_lost'
  | 'plan_outdated'
  | 'no_seq'
  | 'undo_refused'
  | 'not_done'
  | 'row_missing'
  | 'input_invalid'
  | 'platform_unauthorised'
  | 'platform_conflict'
  | 'platform_unavailable'
  | 'engine_unknown'
  | 'provider_failed'
  | 'not_allowed'
  | 'internal';

/**
 * The one error family. The message says what happened, the value seen and what to do;
 * it never holds a secret or a person's text.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** Another process took the session over: stop, write nothing, send nothing. */
export class LeaseLost extends GatewayError {
  constructor(sessionId: string, epoch: number) {
    super(
      'lease_lost',
      `the lease of session ${sessionId} (epoch ${epoch}) was taken over; this attempt stops here`,
    );
    this.name = 'LeaseLost';
  }
}

/** A compaction plan names rows that are no longer live; plan anew. */
export class PlanOutdated extends GatewayError {
  constructor(sessionId: string, missingRows: number) {
    super(
      'plan_outdated',
      `${missingRows} rows of the plan for session ${sessionId} are no longer live; plan again`,
    );
    this.name = 'PlanOutdated';
  }
}

/** An engine's stored state moved on under a change of it; load it and decide again. */
export class StateOutdated extends PlanOutdated {
  /** `seen`: what the change was made on and what is there. */
  constructor(sessionId: string, engine: string, seen: string) {
    super(sessionId, 0);
    this.name = 'StateOutdated';
    this.message = `a change of the ${engine} state of session ${sessionId} was made on ${seen}; load it and decide again`;
  }
}

/** Convert whatever was thrown into our family, keeping the cause. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return new GatewayError('internal', `unexpected ${name}; see the cause in the log`, { cause: thrown });
}

/** Close a switch over a union: the compiler proves that no case is left. */
export function never(value: never): never {
  throw new GatewayError('internal', `a case is not handled: ${JSON.stringify(value)}`);
}
