/** What doctor finds in the database and in the config, in the words an operator reads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../infra/bootstrap/embedded-postgres.ts';
import { createTestDatabase } from '../support/database.ts';
import { condense, coverRows } from '../support/lcm.ts';
import { doctor, ofPart, runDoctor } from '../support/run-doctor.ts';
import { openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';

/** Six messages, four of them under two leaves; one leaf lost a message, and no model wrote either. */
async function breakGraph(world: StoreWorld): Promise<string> {
  const session = await world.newSession();
  const { sessionId } = session;
  const rows = await world.append(session.lease, ['1', '2', '3', '4', '5', '6'].map(personRow));
  const { leaf: one } = await coverRows(world, session, rows.slice(0, 2), 'one');
  const { leaf: two } = await coverRows(world, session, rows.slice(2, 4), 'two');
  await condense(world, session, [one, two], 'both');
  await world.query(`UPDATE sessions SET engine = 'lcm' WHERE id = $1`, [sessionId]);
  await world.query(`DELETE FROM lcm_summary_messages WHERE session_id = $1 AND message_id = $2`, [
    sessionId,
    rows[1]?.id,
  ]);
  await world.query(
    `UPDATE lcm_summaries SET escalation = 'fallback' WHERE session_id = $1 AND kind = 'leaf'`,
    [sessionId],
  );
  await world.query(
    `UPDATE lcm_summaries SET escalation = 'capped' WHERE session_id = $1 AND kind = 'condensed'`,
    [sessionId],
  );
  return sessionId;
}

/** A worker began to answer and died. */
async function leaveTurn(world: StoreWorld): Promise<void> {
  const { sessionId, chat } = await world.newSession();
  await world.query(
    `INSERT INTO turns (id, session_id, chat_row_id, state, attempt, epoch, attempted_at, first_mailbox_seq, last_mailbox_seq)
     VALUES ('t', $1, $2, 'running', 1, 1, now() - interval '5 minutes', 1, 1)`,
    [sessionId, chat.chatRowId],
  );
  await world.query(`UPDATE sessions SET lease_until = now() - interval '4 minutes' WHERE id = $1`, [
    sessionId,
  ]);
}

/** The database's clock is five minutes ahead of this machine's. */
async function shiftClock(world: StoreWorld): Promise<void> {
  await world.query(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    $$ SELECT pg_catalog.clock_timestamp() + interval '5 minutes' $$`);
  const [row] = await world.query<{ name: string }>(`SELECT current_database() AS name`);
  await world.query(`ALTER DATABASE "${row!.name}" SET search_path = public, pg_catalog`);
}

test('a broken graph, weak summaries, an answer that was left, a wrong clock, open access and a small window: each with what to do', async () => {
  await using world = await openStoreWorld();
  const sessionId = await breakGraph(world);
  await leaveTurn(world);
  await shiftClock(world);

  const { code, findings } = await doctor(
    {
      DATABASE_URL: world.url,
      ANTHROPIC_API_KEY: 'test',
      TELEGRAM_BOT_TOKEN: '123456:a_token_that_nobody_has_given_out_yet',
    },
    {
      model: { provider: 'anthropic', name: 'claude-sonnet-5', context_length: 32_000 },
      platforms: { telegram: { allow_all: true, api_root: 'http://127.0.0.1:9' } },
    },
  );

  expect(code).toBe(1);
  expect(ofPart(findings, 'lcm')).toEqual([
    `problem: session ${sessionId}: neither live nor under a summary, 1 time (message_not_covered): /lcm doctor in its chat names them; until it is mended use another engine there (/engine compressor), and keep a backup`,
    `warning: session ${sessionId}: a summary cut out by rule, because no model wrote one, 2 times (fallback_summary): /lcm doctor apply in its chat writes such summaries anew, once the summary model answers`,
    `warning: session ${sessionId}: a summary that was cut off at its limit, 1 time (capped_summary): /lcm doctor apply in its chat writes such summaries anew, once the summary model answers`,
  ]);
  expect(ofPart(findings, 'work')).toEqual([
    'problem: 1 answer begun and left by the worker: look whether a worker runs (npm start, or palimpsest worker) and what its log says',
  ]);
  expect(ofPart(findings, 'clock')).toEqual([
    expect.stringMatching(
      /^warning: this machine is (299|30[01])\.\d s behind the database: set both by NTP; waits and leases go by the database, times that people read and ages in alerts by this machine$/,
    ),
  ]);
  expect(ofPart(findings, 'telegram').at(-1)).toBe(
    'warning: allow_all: anyone may talk to the bot at your cost; to close it set platforms.telegram.allow_all: false and name people in allowed_users, or approve them one by one (access approve)',
  );
  expect(ofPart(findings, 'model')).toEqual([
    'warning: anthropic/claude-sonnet-5, window 32,000 (config); below 64,000 tokens it condenses often; name a model with a larger window in model.name, or correct model.context_length if it has one',
  ]);
});

test('a database without its tables is told, and how it gets them', async () => {
  await using database = await createTestDatabase({ migrated: false });

  const { code, findings } = await doctor({ DATABASE_URL: database.url });

  expect(code).toBe(1);
  expect(ofPart(findings, 'database')[0]).toMatch(
    /^problem: Postgres \d+.*, not migrated: run npm start, or npm run -s palimpsest -- migrate$/,
  );
  expect(ofPart(findings, 'work')).toEqual([]);
});

test('a database that a newer version has migrated is told before anything is started on it', async () => {
  await using world = await openStoreWorld();
  await world.query(
    `INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of-tomorrow', 4102444800000)`,
  );

  const { code, findings } = await doctor({ DATABASE_URL: world.url });

  expect(code).toBe(1);
  expect(ofPart(findings, 'database')[0]).toMatch(
    /^problem: Postgres \d+.* was migrated by a newer version \(1 migration that this version does not know\): start that version again, or restore a backup from before into another database$/,
  );
});

test('the database of the data folder does not run: the screen says how to start it, and ends with what counts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-doctor-'));
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => {} });
  await server.stop();

  const { ended, out } = await runDoctor(folder, { ANTHROPIC_API_KEY: 'test' });
  rmSync(folder, { recursive: true });

  expect(ended.code).toBe(1);
  expect(out.split('\n')).toEqual([
    'fine     config     no config.yaml; defaults hold',
    expect.stringMatching(/^fine {5}model {6}anthropic\/claude-/),
    expect.stringMatching(/^fine {5}summaries {2}anthropic\/claude-/),
    'fine     telegram   off: no token',
    'fine     discord    off: no token',
    `PROBLEM  database   no database is running in ${folder}/data. Start it with npm start, or set DATABASE_URL.`,
    'fine     queue      BullMQ on Postgres (REDIS_URL is not set)',
    'fine     engine     compressor',
    '',
    '1 problem, 0 warnings; begin with the problems.',
    '',
  ]);
});
