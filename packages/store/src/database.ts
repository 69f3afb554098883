/** The connection pool and the two ways to use it: statements and transactions. */
import { availableParallelism } from 'node:os';
import { GatewayError, type Logger, type StoreNotice } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { toDatabaseError } from './database-error.ts';
import { NoticeSender } from './notify.ts';

type Schemaless = Record<string, never>;

/** The pool as drizzle sees it. */
export type Database = NodePgDatabase<Schemaless> & { $client: pg.Pool; readonly notices: NoticeSender };
/** One connection, inside a transaction or for statements in a row. Without a query builder: making one costs more than a statement. */
export interface Transaction {
  readonly $client: pg.PoolClient;
  /** Sent to listeners once the transaction is committed. */
  readonly notices: { add(notices: readonly StoreNotice[]): void };
  /** Set by `lastly`. */
  committed?: Promise<pg.QueryResult>;
}
/** Whatever takes a statement: the pool, or one connection of it. */
export type Executor = Pick<Database, '$client'> | Pick<Transaction, '$client'>;

const dialect = new PgDialect();

/** Ids and counts stay below 2^53, so that a number is exact; timestamps arrive as Date. */
const types: pg.CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (id === 20) return Number;
    if (id === 1016) return (value: string) => value.slice(1, -1).split(',').filter(Boolean).map(Number);
    return format === 'binary' ? pg.types.getTypeParser(id, 'binary') : pg.types.getTypeParser(id, 'text');
  },
};

/**
 * As many as the machine can keep at work, and some for whoever waits for a slow query. A turn holds none while its model
 * speaks; more of them only make the server's processes take turns (20 instead of 8 on two cores: a fifth fewer messages/s).
 */
const connections = Math.min(20, 6 + 2 * availableParallelism());

/** `name` is empty for statements without one. */
export type OnStatement = (name: string) => (() => void) | void;

export interface DatabaseOptions {
  databaseUrl: string;
  logger: Logger;
  /** Connections at most; `connections` by default. */
  poolSize?: number;
  /** A statement without any answer fails after this long; 70 s by default, above the server's own limit of 60 s; 0: never. */
  answerMs?: number;
  /** Called for each statement before it is sent, BEGIN and COMMIT included; what it gives is called with the answer. */
  onStatement?: OnStatement;
}

/** Open a pool; nothing connects before the first statement. `$client.end()` closes it. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolSize ?? connections,
    // Statements that do not need each other's results are sent without waiting (`together`): a round trip costs more
    // than most of our statements do, in time and in processor (microseconds of Node a statement: 34-78 alone, 14 so).
    pipeline: true,
    // Long enough for a database that is just starting, short enough that a webhook can still answer 503.
    connectionTimeoutMillis: 5_000,
    // A statement of ours takes milliseconds; one that hangs must not hold a session's row lock for ever.
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
    // The limit above is the server's own. One that went away without a word answers nothing: whoever waits for it would
    // wait for ever, and with it the job that no other worker may then take.
    query_timeout: options.answerMs ?? 70_000,
    keepAlive: true,
    application_name: 'palimpsest',
    types,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) =>
    options.logger.warn({ problem: error.name }, 'an idle database connection broke'),
  );
  // The same for one that breaks while it is in use: whoever uses it gets the error from its statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  const { onStatement } = options;
  if (onStatement) pool.on('connect', (client) => countStatements(client, onStatement));
  return Object.assign(drizzle({ client: pool }), { notices: new NoticeSender(pool) });
}

function countStatements(client: pg.PoolClient, onStatement: OnStatement): void {
  const send = client.query.bind(client) as (...query: unknown[]) => unknown;
  Object.assign(client, {
    query: (...query: [{ name?: string } | string, ...unknown[]]) => {
      const [first] = query;
      const answered = onStatement(typeof first === 'string' ? '' : (first.name ?? ''));
      const answer = send(...query);
      // The pool's own way takes a callback instead: its statements are only counted.
      if (answered && answer instanceof Promise) answer.then(answered, () => {});
      return answer;
    },
  });
}

/**
 * Run one statement and give its rows, numbers and dates parsed. `name` makes it a prepared statement of the
 * connection: then its text must never change. Throws what `toDatabaseError` makes.
 */
export async function run<Row extends object>(executor: Executor, query: SQL, name?: string): Promise<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  try {
    const result = await executor.$client.query<Row>({
      text,
      values: params,
      ...(name === undefined ? {} : { name }),
    });
    return result.rows;
  } catch (thrown) {
    throw toDatabaseError(thrown);
  }
}

/** `run` for statements that give one row at most. */
export async function runOne<Row extends object>(
  executor: Executor,
  query: SQL,
  name?: string,
): Promise<Row | null> {
  const rows = await run<Row>(executor, query, name);
  return rows[0] ?? null;
}

/**
 * To be selected by a transaction whose statements all go by a key: those behind it are planned once a connection, where
 * Postgres would plan some of them anew each time, for the same plan. Such a plan may be made while the tables are empty and
 * live while they grow, so it goes by the keys whatever the tables look like.
 */
export const planOnce = sql.raw(
  `set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
   set_config('jit', 'off', true)`,
);

/** Named, since a statement of the extended protocol shares its write with those sent behind it; each write is a system call. */
const begin = { name: 'begin', text: 'BEGIN' };
const commit = { name: 'commit', text: 'COMMIT' };

/**
 * Run `work` in one transaction: all of it is committed, or nothing. A connection whose rollback fails is thrown away.
 * drizzle's own `transaction` loses the connection when BEGIN fails, so it is not used here.
 */
export async function transaction<Result>(
  db: Database,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await db.$client.connect().catch((thrown: unknown) => {
    throw toDatabaseError(thrown);
  });
  let broken = false;
  const told: StoreNotice[] = [];
  const tx: Transaction = { $client: client, notices: { add: (notices) => void told.push(...notices) } };
  try {
    // Not waited for: it travels with the first statement. It can only fail with the connection.
    const begun = client.query(begin);
    begun.catch(() => {});
    const result = await work(tx);
    await begun;
    const end = await (tx.committed ?? client.query(commit));
    // Postgres answers COMMIT of a failed transaction with ROLLBACK and no error; that must never pass for success.
    if (end.command !== 'COMMIT')
      throw new GatewayError('internal', 'a failed statement was swallowed inside a transaction');
    db.notices.add(told);
    return result;
  } catch (thrown) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw toDatabaseError(thrown);
  } finally {
    client.release(broken);
  }
}

/** Run `work` on one connection of the pool, outside any transaction: its statements run in the order they are sent. */
export async function onOneConnection<Result>(
  db: Database,
  work: (connection: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await db.$client.connect().catch((thrown: unknown) => {
    throw toDatabaseError(thrown);
  });
  try {
    return await work({ $client: client, notices: db.notices });
  } finally {
    client.release();
  }
}

type Sent<Results extends readonly unknown[]> = { readonly [Key in keyof Results]: Promise<Results[Key]> };

/**
 * Send statements of one transaction behind each other and wait once. `send` must send them all before it waits for
 * anything; the server runs them in that order, each seeing the ones before.
 *
 * returns  their results, in order
 * throws   the first failure in order, once all have ended: the ones behind it only say that the transaction is broken
 */
export async function together<Results extends readonly unknown[]>(
  send: () => readonly [...Sent<Results>],
): Promise<Results> {
  const settled = await Promise.allSettled<unknown>(send());
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  }) as unknown as Results;
}

/**
 * `together` for the last statements of a transaction: COMMIT travels with them. When one fails, Postgres rolls all of it
 * back. `send` must send everything at once, and nothing may be sent on `tx` afterwards.
 */
export async function lastly<Results extends readonly unknown[]>(
  tx: Transaction,
  send: () => readonly [...Sent<Results>],
): Promise<Results> {
  const results = together(send);
  tx.committed = tx.$client.query(commit);
  tx.committed.catch(() => {});
  return results;
}

/** Run `work` behind a savepoint of `tx`; when it throws, only its own writes are undone and the error goes on. */
export async function savepoint<Result>(tx: Transaction, work: () => Promise<Result>): Promise<Result> {
  // Neither is waited for: outside a transaction that is well they fail, and then so does COMMIT.
  tx.$client.query('SAVEPOINT one_update').catch(() => {});
  try {
    const result = await work();
    tx.$client.query('RELEASE SAVEPOINT one_update').catch(() => {});
    return result;
  } catch (thrown) {
    await tx.$client.query('ROLLBACK TO SAVEPOINT one_update');
    throw toDatabaseError(thrown);
  }
}
