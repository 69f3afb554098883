/** `palimpsest session …` as an operator runs it, against a running service. */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answering, talk } from '../support/talk.ts';
import { launch } from '../support/chaos/program.ts';
import { createTestDatabase } from '../support/database.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

interface Ended {
  code: number;
  out: string;
  err: string;
}

async function palimpsest(databaseUrl: string, ...words: string[]): Promise<Ended> {
  const env = { DATABASE_URL: databaseUrl, PALIMPSEST_DATA: tmpdir() };
  const program = launch({ command: ['apps/cli/src/main.ts', ...words], env, folder: tmpdir() });
  const { code } = await program.ended;
  return { code: code ?? -1, out: program.output(), err: program.log() };
}

let world: TurnWorld;
let sessionId: string;
const run = (...words: string[]): Promise<Ended> => palimpsest(world.databaseUrl, 'session', ...words);

beforeAll(async () => {
  world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  sessionId = await world.sessionId();
});
afterAll(() => world[Symbol.asyncDispose]());

test('list and show name the session with its size', async () => {
  const list = JSON.parse((await run('list', '--json')).out) as { sessions: unknown[] };
  const show = await run('show', sessionId);

  expect(list.sessions).toMatchObject([{ id: sessionId, platform: 'local', liveRows: 32, archivedRows: 0 }]);
  expect(show.out).toContain('messages    32 live, 0 archived');
  expect(show.out).toMatch(/\nwindow {6}[\d,]+ tokens \([a-z]+\), \d+ % full\n/);
  expect(show.out).not.toContain('\nbudget');
});

test('the list can be searched and put in order of cost, which it tells', async () => {
  const priciest = await world.store.operators.sessions({ limit: 1, offset: 0, order: 'cost' });
  const byCost = await run('list', '--order', 'cost');
  const found = await run('list', '--search', sessionId.slice(-8));
  const none = await run('list', '--search', 'nobody wrote this');

  expect(priciest[0]?.dollars).toBeGreaterThan(0);
  expect(byCost.out).toMatch(new RegExp(`^${sessionId}  local .* \\$\\d`));
  expect(found.out).toBe(byCost.out);
  expect(none.out).toBe('No session is called so.\n');
});

test('context lists the messages the model reads, without their texts unless asked', async () => {
  const { out } = await run('context', sessionId);
  const withText = await run('context', sessionId, '--text');

  expect(out.split('\n')).toHaveLength(34);
  expect(out).not.toContain('ferry');
  expect(withText.out).toContain('Line 1. The ferry to the island');
});

test('preview, compact and undo-compaction: seen before, done, and taken back', async () => {
  const before = (await world.rows()).map((row) => row.id);
  const preview = JSON.parse((await run('preview', sessionId, '--focus', 'times', '--json')).out) as object;
  const untouched = await world.store.compactions.ledger({ sessionId, limit: 1 });
  const compact = await run('compact', sessionId, '--focus', 'the ferry times', '--json');
  const undo = await run('undo-compaction', sessionId);
  const again = await run('undo-compaction', sessionId);

  expect(preview).toMatchObject({ outcome: 'success', rowsBefore: 32, summaryCalls: 1 });
  expect(untouched).toEqual([]);
  expect(JSON.parse(compact.out)).toMatchObject({
    sessionId,
    answer: expect.stringMatching(/^Condensed: 32 → \d+ messages/),
    compaction: { layer: 'manual', trigger: 'manual', outcome: 'success' },
  });
  expect(world.summariser.requests.some((request) => request.body.includes('the ferry times'))).toBe(true);
  expect([undo.code, undo.out]).toEqual([0, expect.stringMatching(/^Taken back: \d+ messages/)]);
  expect([again.code, again.out]).toEqual([1, 'There is no condensing to take back.\n']);
  const live = (await world.rows()).filter((row) => row.state === 'live').map((row) => row.id);
  expect(live).toEqual(before);
}, 60_000);

test('an unknown session is named in the error', async () => {
  const { code, err } = await run('undo-compaction', 'nowhere');

  expect([code, err]).toEqual([1, 'there is no session nowhere; `session list` shows them\n']);
});

test('without a running worker nothing is asked, and the error says what to start', async () => {
  await using database = await createTestDatabase();
  const { code, err } = await palimpsest(database.url, 'session', 'undo-compaction', sessionId);

  expect([code, err]).toEqual([
    1,
    'no worker is running, and only a worker may change a session. Start one with npm start or palimpsest worker.\n',
  ]);
});
