/** What a failed call to the Bot API means, without the client's error classes. */
import { GrammyError, HttpError } from 'grammy';
import { foreignAnswer } from './bot-api.ts';

/**
 * `refused`: the server answered. `foreign`: something in between answered with an HTTP status. `not_sent`: no connection was made, so nothing was done.
 * `lost`: the request may have arrived and its answer did not.
 */
export type BotApiFailure =
  | {
      kind: 'refused';
      code: number;
      description: string;
      retryAfterMs: number | null;
      migratedTo: string | null;
    }
  | { kind: 'foreign'; code: number; description: string }
  | { kind: 'not_sent'; description: string }
  | { kind: 'lost'; description: string };

export function readFailure(thrown: unknown): BotApiFailure {
  if (thrown instanceof GrammyError) return readRefusal(thrown);
  const cause = thrown instanceof HttpError ? thrown.error : thrown;
  const description = describe(cause);
  return { kind: isBeforeSending(cause) ? 'not_sent' : 'lost', description };
}

/** The token is wrong or was revoked: 401, or 404 for one that is not even shaped like a token. */
export function isTokenRefused(failure: BotApiFailure): boolean {
  return failure.kind === 'refused' && (failure.code === 401 || failure.code === 404);
}

function readRefusal({ error_code: code, description, parameters }: GrammyError): BotApiFailure {
  if (description === foreignAnswer)
    return { kind: 'foreign', code, description: `HTTP ${code}: ${description}` };
  const { retry_after: seconds, migrate_to_chat_id: chatId } = parameters;
  return {
    kind: 'refused',
    code,
    description,
    retryAfterMs: seconds === undefined ? null : seconds * 1000,
    migratedTo: chatId === undefined ? null : String(chatId),
  };
}

/** Only what Node says of the socket; a whole message could hold the address with the token. */
function describe(cause: unknown): string {
  const codes = [...causesOf(cause)].flatMap(({ code, syscall }) =>
    [syscall, code].filter((word) => typeof word === 'string'),
  );
  if (codes.length > 0) return codes.join(' ');
  return cause instanceof Error && /timed out/.test(cause.message) ? 'timed out' : 'connection ended';
}

// Codes of Node and undici for connections that never came to be.
const unconnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function isBeforeSending(cause: unknown): boolean {
  return [...causesOf(cause)].some(
    ({ code, syscall }) => syscall === 'connect' || syscall === 'getaddrinfo' || unconnected.has(code ?? ''),
  );
}

/** The error and the ones it was made of; an AggregateError of one connection attempt holds one an address. */
function* causesOf(thrown: unknown): Generator<{ code?: string; syscall?: string }> {
  if (!(thrown instanceof Error)) return;
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  yield { code, syscall };
  if (thrown instanceof AggregateError) for (const inner of thrown.errors) yield* causesOf(inner);
  yield* causesOf(thrown.cause);
}
