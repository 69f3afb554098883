/** What Postgres and its driver throw → our error family, without anything a person wrote. */
import { GatewayError, toGatewayError } from '@palimpsest/core';

/** Postgres refused a statement. `sqlState` is its five-character code. */
export class StatementRefused extends GatewayError {
  readonly sqlState: string;

  constructor(sqlState: string, message: string, options: { retryable: boolean; cause: unknown }) {
    super('database_error', message, options);
    this.name = 'StatementRefused';
    this.sqlState = sqlState;
  }

  /** It lies in what was to be stored (values, constraints, limits), not in the database or our SQL. */
  get isAboutData(): boolean {
    return ['22', '23', '54'].includes(this.sqlState.slice(0, 2));
  }
}

interface Described {
  code: string;
  table?: string;
  constraint?: string;
}

const unavailable = 'check that Postgres runs and that DATABASE_URL names it';
/** Wrong name, user or password in DATABASE_URL: Postgres runs and says no. */
const connectionRefusals = new Set(['3D000', '28000', '28P01']);
const full =
  'free disk space where Postgres keeps its data; messages are taken again as soon as a write succeeds';

/** Codes after which the same work may succeed unchanged: serialization, deadlock, time-outs, memory, limits. */
const transient = new Set(['40001', '40P01', '55P03', '57014', '25P03', '53200', '53400']);
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'EHOSTUNREACH',
  // Server shutting down, crashed, starting, too many connections.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/**
 * Convert anything thrown by pg or drizzle; what is neither becomes `internal`.
 *
 * returns  our own errors unchanged; database_unavailable and database_full (both retryable, a refused login not);
 *          else database_error, retryable only for deadlocks and time-outs. Messages carry code, table and constraint: never values, and the
 *          foreign error is not kept as cause, because it quotes rows and drizzle's quotes parameters.
 */
export function toDatabaseError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const described = describe(thrown);
  // Nothing of the driver's: a bug of ours, or of a callback run inside a transaction.
  if (described === null) return toGatewayError(thrown);
  const { code, table, constraint } = described;
  if (code === '53100' || code === 'ENOSPC') {
    return new GatewayError('database_full', `the database has no disk space left (${code}); ${full}`, {
      retryable: true,
    });
  }
  if (connectionCodes.has(code) || code.startsWith('08')) {
    return new GatewayError(
      'database_unavailable',
      `the database cannot be reached (${code}); ${unavailable}`,
      {
        retryable: true,
      },
    );
  }
  // What Postgres says here names database, user and host; nothing of a person's, and never the password.
  if (connectionRefusals.has(code) && isFatal(thrown)) {
    return new GatewayError(
      'database_unavailable',
      `Postgres refuses the connection (${code}): ${causeOf(thrown).message}; correct DATABASE_URL, or create that database and user`,
    );
  }
  const where = [table && `table ${table}`, constraint && `constraint ${constraint}`]
    .filter(Boolean)
    .join(', ');
  // Class 42 (syntax, names) speaks of our own SQL; other classes quote what was to be stored.
  const what = code.startsWith('42') && thrown instanceof Error ? `: ${causeOf(thrown).message}` : '';
  const message = `the database refused a statement (${code}${where && `, ${where}`})${what}; see the log of Postgres for its text`;
  return new StatementRefused(code, message, { retryable: transient.has(code), cause: placeOf(thrown) });
}

function describe(thrown: unknown): Described | null {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return describe(thrown.errors[0]);
  if (!(thrown instanceof Error)) return null;
  const { code, table, constraint } = thrown as Error & Partial<Described>;
  if (typeof code === 'string') return { code, table, constraint };
  if (thrown.cause instanceof Error) return describe(thrown.cause);
  // The driver throws plain errors without a code when a connection ends, or none is to be had in time.
  const isConnection =
    /connection terminated|timeout exceeded when trying to connect|connection timeout|not queryable|query read timeout/i;
  return isConnection.test(thrown.message) ? { code: '08006' } : null;
}

/** Only a refused connection is FATAL; a refused statement is an ERROR. */
function isFatal(thrown: unknown): thrown is Error {
  return thrown instanceof Error && (causeOf(thrown) as Error & { severity?: string }).severity === 'FATAL';
}

/** The driver's own error; drizzle's around it quotes parameters. */
function causeOf(thrown: Error): Error {
  return thrown.cause instanceof Error ? causeOf(thrown.cause) : thrown;
}

/** Where it happened, without the text of the foreign error. */
function placeOf(thrown: unknown): Error | undefined {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return undefined;
  const frames = thrown.stack.split('\n').filter((line) => line.startsWith('    at '));
  const place = new Error(thrown.name);
  place.stack = [thrown.name, ...frames].join('\n');
  return place;
}
