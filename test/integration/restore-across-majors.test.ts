/** A backup of one major version of Postgres in another one, both ways. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupLines, migrate, openStore, restoreBackup } from '@palimpsest/store';
import { silentLogger } from '@palimpsest/core';
import pg from 'pg';
import { expect, test } from 'vitest';
import { freePort } from '../../infra/bootstrap/postgres/postmaster.ts';
import { postgresUser } from '../../infra/bootstrap/postgres/postgres-user.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

/** Where Debian and the packages of PostgreSQL put the programs of each major version. */
const programsOf = '/usr/lib/postgresql';

/** Major of the embedded Postgres that tests run on. */
const embeddedMajor = 18;

function otherMajor(): { major: number; bin: string } | null {
  const majors = existsSync(programsOf) ? readdirSync(programsOf).map(Number) : [];
  const major = majors.find(
    (one) => one >= 14 && one !== embeddedMajor && existsSync(`${programsOf}/${one}/bin/initdb`),
  );
  return major === undefined ? null : { major, bin: `${programsOf}/${major}/bin` };
}

const other = otherMajor();

/** A server of the other major version, in a folder of its own, ended with the test. */
async function startOther({ bin }: { bin: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-other-postgres-'));
  const user = postgresUser(folder, () => {});
  const as = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const run = (program: string, ...words: string[]): void => {
    const { status, stderr } = spawnSync(join(bin, program), words, {
      ...as,
      encoding: 'utf8',
      env: { PATH: '/usr/bin', LC_ALL: 'C' },
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  const data = join(folder, 'data');
  const port = await freePort(0);
  run('initdb', '-D', data, '-U', 'palimpsest', '--auth=trust', '--locale=C.UTF-8', '-E', 'UTF8');
  run(
    'pg_ctl',
    '-D',
    data,
    '-w',
    '-s',
    '-l',
    join(folder, 'log'),
    '-o',
    `-p ${port} -h 127.0.0.1 -k ${folder} -F`,
    'start',
  );
  return {
    url: `postgres://palimpsest@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: async () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', '-s', 'stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function linesOf(url: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of backupLines(url)) lines.push(line);
  return lines;
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

async function majorOf(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  );
  await client.end();
  return rows[0]?.major ?? 0;
}

async function fill(world: StoreWorld): Promise<string> {
  const session = await world.newSession();
  await world.append(session.lease, [personRow('the kingfisher nests at Brook Lane 漢字 😀')]);
  await world.addReply(session, 'a reply');
  return session.sessionId;
}

test.skipIf(other === null)(
  `a backup of one major version is the same, row for row, in another one and back${other === null ? ' (skipped: only one major version of Postgres is on this machine; apt-get install postgresql gives another)' : ''}`,
  async () => {
    await using world = await openStoreWorld();
    const sessionId = await fill(world);
    await using server = await startOther(other!);
    await using back = await createTestDatabase({ migrated: false });
    const before = await linesOf(world.url);

    await restoreBackup(server.url, given(before));
    const there = await linesOf(server.url);
    await restoreBackup(back.url, given(there));
    const again = await linesOf(back.url);

    expect([await majorOf(world.url), await majorOf(server.url)]).toEqual([embeddedMajor, other!.major]);
    expect(before.length).toBeGreaterThan(6);
    expect(there.slice(1)).toEqual(before.slice(1));
    expect(again.slice(1)).toEqual(before.slice(1));
    // The older one is a whole installation: nothing is left to migrate, and the words are found.
    expect(await migrate(server.url)).toEqual({ applied: 0 });
    const store = await openStore({ databaseUrl: server.url, logger: silentLogger, poolSize: 2 });
    try {
      const rows = await store.transcript.liveRows(sessionId);
      expect(rows.map(({ parts: [part] }) => part)).toEqual([
        { type: 'text', text: 'the kingfisher nests at Brook Lane 漢字 😀' },
      ]);
    } finally {
      await store.close();
    }
  },
  120_000,
);
