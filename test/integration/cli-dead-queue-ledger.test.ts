/** What waits, what was given up, and what compactions did, as an operator asks for it on the command line. */
import { userInfo } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { createHookStore } from '../../packages/store/src/hooks/create-hook-store.ts';
import { transaction } from '../../packages/store/src/database.ts';
import { writeEvents } from '../../packages/store/src/write-events.ts';
import { openStoreWorld } from '../support/store-world.ts';

let said = '';

beforeEach(() => {
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

test('dead letters are listed, tried again and dropped; queue and ledger tell in lines and as JSON', async () => {
  await using world = await openStoreWorld();
  const session = await world.newSession();
  const { sessionId } = session;
  const reply = await world.addReply(session, 'secret words');
  await world.outbox.fail(reply, 'dead', 'refused');
  const hooks = createHookStore(world.db);
  await hooks.subscribe([{ name: 'tracker', events: [] }]);
  await transaction(world.db, (tx) =>
    writeEvents(tx, [{ type: 'session:start', sessionId, platform: 'telegram' }]),
  );
  await hooks.subscribe([]);
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state, attempts, done_at)
     SELECT $1, seq, $2, 'message', '{"kind": "message", "message": {"text": "secret plea"}}', 'dead', 3, now()
     FROM generate_series(7, 8) seq`,
    [sessionId, session.chat.chatRowId],
  );
  await world.query('UPDATE sessions SET lease_until = NULL WHERE id = $1', [sessionId]);
  const [event] = await world.query<{ id: string }>('SELECT id FROM events');
  const context = { env: { DATABASE_URL: world.url }, folder: '/tmp' };
  const run = async (...words: string[]): Promise<[number | null, string]> => {
    said = '';
    const code = await runCommandLine(context, words);
    return [code, said];
  };

  const [, listed] = await run('dead', 'list');
  const [, queued] = await run('queue', '--json');
  const codes = [
    (await run('dead', 'drop', `reply:${reply}`))[0],
    (await run('dead', 'drop', `reply:${reply}`))[0],
    (await run('dead', 'drop', `hook:tracker:${event!.id}`))[0],
    (await run('dead', 'retry', `message:${sessionId}:7`))[0],
    (await run('dead', 'drop', `message:${sessionId}:8`))[0],
    (await run('dead', 'retry', `message:${sessionId}:8`))[0],
    (await run('dead', 'retry', 'something'))[0],
  ];
  const [, afterwards] = await run('dead', 'list');
  const [, ledger] = await run('ledger');
  const acts = await world.query('SELECT actor, via, act FROM operator_actions ORDER BY id');

  expect(listed).toContain(`reply:${reply}  `);
  expect(listed).toContain(`hook:tracker:${event!.id}  `);
  expect(listed).toMatch(new RegExp(`message:${sessionId}:7  \\S+  message  telegram  3 attempts\n`));
  expect(listed).not.toMatch(/secret (words|plea)/);
  expect(JSON.parse(queued)).toMatchObject({
    figures: { dead: { outbox: 1, mailbox: 2, hook: 1 } },
    backend: 'postgres',
  });
  expect(codes).toEqual([null, 1, null, null, null, 1, 1]);
  expect(afterwards).toBe('Nothing was given up.\n');
  expect(ledger).toBe('No compaction was tried yet.\n');
  expect(acts).toEqual([
    { actor: userInfo().username, via: 'cli', act: 'drop_delivery' },
    { actor: userInfo().username, via: 'cli', act: 'drop_event' },
    { actor: userInfo().username, via: 'cli', act: 'retry_message' },
    { actor: userInfo().username, via: 'cli', act: 'drop_message' },
  ]);
});
