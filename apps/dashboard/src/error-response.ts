import { GatewayError, toGatewayError, type ErrorCode, type Logger } from '@palimpsest/core';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';

export interface Refusal {
  code: ErrorCode;
  message: string;
}

/** Programs come back after this long when the database or the intake is away. */
const retryAfterSeconds = 2;

/** The one shape of an error in the JSON API: `{ error: { code, message } }`. */
export function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503,
  refusal: Refusal,
): Response {
  return c.json({ error: refusal }, status);
}

/** What the asker can mend. */
const statusOf: Partial<Record<ErrorCode, 400 | 404 | 409>> = {
  input_invalid: 400,
  row_missing: 404,
  not_done: 409,
};

/** What was thrown, as an answer: 503 with Retry-After for what passes, 400 for bad input, else 500 and a log line. */
export function errorResponse(thrown: unknown, c: Context, logger: Logger): Response {
  if (thrown instanceof HTTPException) return thrown.getResponse();
  const error = toGatewayError(thrown);
  if (error.retryable) {
    c.header('Retry-After', String(retryAfterSeconds));
    return refuse(c, 503, { code: error.code, message: error.message });
  }
  const status = statusOf[error.code];
  if (status) return refuse(c, status, { code: error.code, message: error.message });
  logger.error(
    { path: c.req.path, code: error.code, problem: problemOf(thrown) },
    'a page could not be served',
  );
  return refuse(c, 500, {
    code: error.code,
    message: 'Something went wrong; the log of the dashboard says what.',
  });
}

export function problemOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function inputInvalid(message: string): GatewayError {
  return new GatewayError('input_invalid', message);
}

export function notDone(message: string): GatewayError {
  return new GatewayError('not_done', message);
}

export function sessionMissing(id: string): GatewayError {
  return new GatewayError('row_missing', `there is no session ${JSON.stringify(id.slice(0, 60))}`);
}
