/** The embedded Postgres with real processes: kept, adopted, recovered, owned by one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import {
  embeddedDatabaseUrl,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../infra/bootstrap/embedded-postgres.ts';

const program = fileURLToPath(new URL('../support/hold-postgres.ts', import.meta.url));

/** A data folder in a place which, like root's home, other users may not enter. */
function makeFolder(): Disposable & { readonly dataDir: string; readonly log: string[] } {
  const closed = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
  chmodSync(closed, 0o700);
  return {
    dataDir: join(closed, 'data'),
    log: [],
    [Symbol.dispose]: () => rmSync(closed, { recursive: true, force: true }),
  };
}

function start(folder: { dataDir: string; log: string[] }): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir: folder.dataDir,
    log: (line) => folder.log.push(line),
    tuning: 'durable',
  });
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed breaks the connection; the query in flight reports it.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Another process that owns the folder until it is killed; resolves to its first line: the address, or an error. */
async function startOwner(
  dataDir: string,
): Promise<{ readonly process: ChildProcess; readonly said: string }> {
  const owner = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(createInterface(owner.stdout), 'line')) as [string];
  return { process: owner, said };
}

test('rows are there again after a stop and a start, at the same address', async () => {
  using folder = makeFolder();
  const first = await start(folder);
  await query(first.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();

  const second = await start(folder);
  const rows = await query(second.databaseUrl, 'SELECT answer FROM kept');
  await second.stop();

  expect(rows).toEqual([{ answer: 42 }]);
  expect(second.databaseUrl).toBe(first.databaseUrl);
  expect(second.adopted).toBe(false);
  expect(existsSync(join(folder.dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('the address leads through the socket in the folder; loopback stays open for others', async () => {
  using folder = makeFolder();
  const postgres = await start(folder);
  const local = new URL(postgres.databaseUrl);
  const overTcp = new URL(local);
  overTcp.searchParams.delete('host');
  const asked = 'SELECT inet_server_addr() IS NULL AS by_socket';

  const bySocket = await query(local.href, asked);
  const byPort = await query(overTcp.href, asked);
  await postgres.stop();

  expect(local.searchParams.get('host')).toBe(join(folder.dataDir, 'postgres'));
  expect([bySocket, byPort]).toEqual([[{ by_socket: true }], [{ by_socket: false }]]);
});

test('text is UTF-8 with a character type, and only the password opens the database', async () => {
  using folder = makeFolder();
  const postgres = await start(folder);
  const wrong = new URL(postgres.databaseUrl);
  wrong.password = 'guessed';

  const rows = await query(
    postgres.databaseUrl,
    "SELECT datctype <> 'C' AS has_ctype, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()",
  );
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  await postgres.stop();

  expect(rows).toEqual([{ has_ctype: true, encoding: 'UTF8' }]);
  expect(statSync(join(folder.dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.dataDir, 'postgres')).mode & 0o777).toBe(0o700);
});

test('a second owner of the folder is refused, and may start once the first has stopped', async () => {
  using folder = makeFolder();
  const first = await start(folder);

  const { said } = await startOwner(folder.dataDir);
  await first.stop();
  const again = await start(folder);
  await again.stop();

  expect(said).toContain('data_folder_in_use');
  expect(said).toContain(`(${process.pid})`);
});

test('the server of an owner that was killed is adopted, with its rows', async () => {
  using folder = makeFolder();
  const owner = await startOwner(folder.dataDir);
  await query(owner.said, 'CREATE TABLE kept AS SELECT 7 AS answer');
  const pid = postmasterPid(folder.dataDir);
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');

  const next = await start(folder);
  const rows = await query(next.databaseUrl, 'SELECT answer FROM kept');
  const pidNow = postmasterPid(folder.dataDir);
  await next.stop();

  expect(next.adopted).toBe(true);
  expect(pidNow).toBe(pid);
  expect(rows).toEqual([{ answer: 7 }]);
});

test('a server that is killed comes back by itself, with every committed row', async () => {
  using folder = makeFolder();
  const postgres = await start(folder);
  await query(postgres.databaseUrl, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n');

  process.kill(postmasterPid(folder.dataDir), 'SIGKILL');
  const rows = await vi.waitFor(
    () =>
      query(
        postgres.databaseUrl,
        'SELECT count(*)::int AS kept FROM kept WHERE pg_postmaster_start_time() IS NOT NULL',
      ),
    { timeout: 20_000, interval: 50 },
  );
  await postgres.stop();

  expect(rows).toEqual([{ kept: 1000 }]);
});

test('after owner and server were killed together the next start recovers', async () => {
  using folder = makeFolder();
  const owner = await startOwner(folder.dataDir);
  await query(owner.said, 'CREATE TABLE kept AS SELECT 9 AS answer');
  const pid = postmasterPid(folder.dataDir);
  owner.process.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await once(owner.process, 'exit');

  const next = await start(folder);
  const rows = await query(next.databaseUrl, 'SELECT answer FROM kept');
  await next.stop();

  expect(next.adopted).toBe(false);
  expect(rows).toEqual([{ answer: 9 }]);
});

test('a pid file whose number belongs to some other program now does not stand in the way', async () => {
  using folder = makeFolder();
  await (await start(folder)).stop();
  const pidFile = join(folder.dataDir, 'postgres', 'postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n/elsewhere\n1\n5432\n\n127.0.0.1\n  1  1\nready   \n`);

  const postgres = await start(folder);
  const rows = await query(postgres.databaseUrl, 'SELECT 1 AS one');
  await postgres.stop();

  expect(postgres.adopted).toBe(false);
  expect(rows).toEqual([{ one: 1 }]);
});

test('a first start that was cut off is begun anew', async () => {
  using folder = makeFolder();
  mkdirSync(join(folder.dataDir, 'postgres.new-1', 'base'), { recursive: true });

  const postgres = await start(folder);
  await postgres.stop();

  expect(existsSync(join(folder.dataDir, 'postgres.new-1'))).toBe(false);
});

test('a lost password file is replaced, and no row is lost', async () => {
  using folder = makeFolder();
  const first = await start(folder);
  await query(first.databaseUrl, 'CREATE TABLE kept AS SELECT 3 AS answer');
  await first.stop();
  rmSync(join(folder.dataDir, 'postgres.json'));

  const second = await start(folder);
  const rows = await query(second.databaseUrl, 'SELECT answer FROM kept');
  await second.stop();

  expect(rows).toEqual([{ answer: 3 }]);
});

test('files of another Postgres version are refused and left alone', async () => {
  using folder = makeFolder();
  mkdirSync(join(folder.dataDir, 'postgres'), { recursive: true });
  writeFileSync(join(folder.dataDir, 'postgres', 'PG_VERSION'), '17\n');

  await expect(start(folder)).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('was written by Postgres 17') as string,
  });

  expect(readFileSync(join(folder.dataDir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('17\n');
});

test('a program beside the owner finds the running database, and nothing once it has stopped', async () => {
  using folder = makeFolder();
  const postgres = await start(folder);

  const whileRunning = await embeddedDatabaseUrl(folder.dataDir);
  await postgres.stop();

  expect(whileRunning).toBe(postgres.databaseUrl);
  expect(await embeddedDatabaseUrl(folder.dataDir)).toBeUndefined();
});
