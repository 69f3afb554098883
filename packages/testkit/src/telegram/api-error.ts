/** Refusals with the wordings of the real server. */

/** Extra facts beside an error. */
export interface ErrorParameters {
  retry_after?: number;
  migrate_to_chat_id?: number;
}

/** What the test or the server wants answered instead of a result. */
export interface Refusal {
  error_code: number;
  description: string;
  parameters?: ErrorParameters;
}

/** A refused call; travels to the HTTP layer, which writes it as a body. */
export class ApiError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`${refusal.error_code}: ${refusal.description}`);
    this.refusal = refusal;
  }
}

/** 400; the real server puts the prefix and a small first letter itself. */
export function badRequest(reason: string, parameters?: ErrorParameters): ApiError {
  const description = `Bad Request: ${reason}`;
  return new ApiError({ error_code: 400, description, ...(parameters && { parameters }) });
}

/** 400 for a text that does not parse. */
export function cannotParse(reason: string): ApiError {
  return badRequest(`can't parse entities: ${reason}`);
}

/** 403. */
export function forbidden(reason: string): ApiError {
  return new ApiError({ error_code: 403, description: `Forbidden: ${reason}` });
}

/** 404 for unknown methods and malformed tokens. */
export function notFound(): ApiError {
  return new ApiError({ error_code: 404, description: 'Not Found' });
}

/** 409. */
export function conflict(reason: string): ApiError {
  return new ApiError({ error_code: 409, description: `Conflict: ${reason}` });
}

/** 429; seconds is a whole number >= 1. */
export function tooManyRequests(seconds: number): ApiError {
  return new ApiError({
    error_code: 429,
    description: `Too Many Requests: retry after ${seconds}`,
    parameters: { retry_after: seconds },
  });
}
