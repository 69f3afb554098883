/** Everything in a database into lines, and from there into another one. */
import { mkdtempSync, readdirSync, rmSync, truncateSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@palimpsest/core';
import { backupLines, migrate, restoreBackup } from '@palimpsest/store';
import { expect, test, vi } from 'vitest';
import { openDatabase, transaction } from '../../packages/store/src/database.ts';
import { appendRows } from '../../packages/store/src/transcript/append-rows.ts';
import { writeEvents } from '../../packages/store/src/write-events.ts';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';

async function linesOf(url: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of backupLines(url)) lines.push(line);
  return lines;
}

function openTarget(databaseUrl: string) {
  const db = openDatabase({ databaseUrl, logger: silentLogger, poolSize: 1 });
  return { db, [Symbol.asyncDispose]: () => db.$client.end() };
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

/** Texts of every kind, bytes, large ids, an event and a reply. */
async function fillWorld(world: StoreWorld): Promise<string> {
  const session = await world.newSession();
  const { sessionId } = session;
  const text = 'naïve 😀 漢字 "quoted" \\ back\nnext line';
  await transaction(world.db, async (tx) => {
    await appendRows(tx, { sessionId, turnId: 't', step: 0 }, [
      {
        role: 'user',
        kind: 'person',
        parts: [{ type: 'text', text }],
        tokens: 12,
        sentAt: new Date(1_700_000_000_123),
      },
    ]);
    await writeEvents(tx, [{ type: 'session:start', sessionId, platform: 'telegram' }]);
  });
  await world.addReply(session, 'a reply');
  await world.query(
    `INSERT INTO inbox (platform, account, update_key, raw, status) VALUES ('telegram', '77', '9007199254740993', '\\x00ff10', 'stored')`,
  );
  return sessionId;
}

test('a restored database is the same, row for row, and goes on behind the ids it holds', async () => {
  await using world = await openStoreWorld();
  const sessionId = await fillWorld(world);
  await using target = await createTestDatabase({ migrated: false });
  const before = await linesOf(world.url);

  const { rows } = await restoreBackup(target.url, given(before));

  const after = await linesOf(target.url);
  expect(after.slice(1)).toEqual(before.slice(1));
  expect(before.length).toBeGreaterThan(10);
  expect(after.at(-1)).toBe(`{"end":true,"rows":${rows}}`);
  expect(after.join('\n')).toContain('"raw":"\\\\x00ff10"');
  const row = {
    role: 'assistant',
    kind: 'assistant',
    parts: [{ type: 'text', text: 'on' }],
    tokens: 1,
  } as const;
  await using db = openTarget(target.url);
  const [written] = await transaction(db.db, (tx) =>
    appendRows(tx, { sessionId, turnId: 't', step: 1 }, [row]),
  );
  expect(written!.id).toBe(2);
});

test('a backup that is cut off, or not one, changes nothing', async () => {
  await using world = await openStoreWorld();
  await fillWorld(world);
  await using target = await createTestDatabase();
  const lines = await linesOf(world.url);
  const empty = (await linesOf(target.url)).slice(1);
  const withoutEvent = lines.filter((_, index) => !lines[index - 1]?.startsWith('{"table":"events"'));

  await expect(restoreBackup(target.url, given(lines.slice(0, -1)))).rejects.toThrow('its end is missing');
  await expect(restoreBackup(target.url, given(withoutEvent))).rejects.toThrow('no whole backup');
  await expect(restoreBackup(target.url, given(['{"a":1}']))).rejects.toThrow('its first line');

  expect((await linesOf(target.url)).slice(1)).toEqual(empty);
});

test('a database that holds conversations is not written over', async () => {
  await using world = await openStoreWorld();
  await fillWorld(world);
  const lines = await linesOf(world.url);

  await expect(restoreBackup(world.url, given(lines))).rejects.toThrow('holds conversations already');

  expect((await linesOf(world.url)).slice(1)).toEqual(lines.slice(1));
});

test('a backup of an older schema is filled in under that schema and then brought up to date', async () => {
  await using old = await createTestDatabase({ migrated: false });
  await using target = await createTestDatabase({ migrated: false });
  await using world = await openStoreWorld();
  const newest = (await linesOf(world.url))[0] ?? '';
  const { migrations } = JSON.parse(newest) as { migrations: number[] };
  await migrate(old.url, { upTo: migrations.at(-2) ?? 0 });
  const lines = await linesOf(old.url);

  await restoreBackup(target.url, given(lines));

  const head = JSON.parse(lines[0] ?? '') as { migrations: number[] };
  expect(head.migrations).toEqual(migrations.slice(0, -1));
  expect((JSON.parse((await linesOf(target.url))[0] ?? '') as { migrations: number[] }).migrations).toEqual(
    migrations,
  );
});

test('a backup in a folder without a database, or into one that is not there, says what to do and leaves nothing', async () => {
  await using world = await openStoreWorld();
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-backup-'));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

  const codes = [
    await runCommandLine({ env: {}, folder }, ['backup', 'all.gz']),
    await runCommandLine({ env: { DATABASE_URL: world.url }, folder }, ['backup', 'nowhere/all.gz']),
  ];
  const words = said.mock.calls.map(([text]) => String(text));
  said.mockRestore();
  const left = readdirSync(folder);
  rmSync(folder, { recursive: true });

  expect(codes).toEqual([1, 1]);
  expect(words).toEqual([
    `there is no database in ${join(folder, 'data')}; nothing was written. Run this in the folder of the service, or set PALIMPSEST_DATA or DATABASE_URL.\n`,
    `${join(folder, 'nowhere/all.gz')} cannot be written (ENOENT); name a file in a folder that exists and that this user may write.\n`,
  ]);
  expect(left).toEqual([]);
});

test('the commands write one file and read it again; a broken file is told, and a folder in its place', async () => {
  await using world = await openStoreWorld();
  await fillWorld(world);
  await using target = await createTestDatabase({ migrated: false });
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-backup-'));
  const file = join(folder, 'all.gz');
  const at = (url: string) => ({ env: { DATABASE_URL: url }, folder });

  const codes = [
    await runCommandLine(at(world.url), ['backup', file, '--json']),
    await runCommandLine(at(world.url), ['backup', file]),
    await runCommandLine(at(target.url), ['restore', file, '--json']),
  ];
  truncateSync(file, statSync(file).size - 200);
  await using other = await createTestDatabase({ migrated: false });
  codes.push(await runCommandLine(at(other.url), ['restore', file]));
  codes.push(await runCommandLine(at(other.url), ['restore', folder]));
  rmSync(folder, { recursive: true });

  expect(codes).toEqual([null, 1, null, 1, 1]);
  expect((await linesOf(target.url)).slice(1)).toEqual((await linesOf(world.url)).slice(1));
});
