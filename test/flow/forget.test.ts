/** /forget: a person is erased everywhere, from a session that all three engines have filled. */
import { silentLogger, type Logger } from '@palimpsest/core';
import pg from 'pg';
import { expect, test } from 'vitest';
import { followNudges, type ModelScript } from '@palimpsest/testkit';
import { words } from '../support/memory-transcript.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld } from '../support/turn-world.ts';

/** Tables of the queue that hold a text. */
async function queuesWith(url: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('public', 'pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hits = await client.query(`SELECT 1 FROM ${name} t WHERE t::text LIKE $1 LIMIT 1`, [`%${text}%`]);
    if (hits.rows.length > 0) found.push(name);
  }
  await client.end();
  expect(rows.length).toBeGreaterThan(0);
  return found;
}

const codeIn = (text: string): string => /\/forget ([0-9A-F]{6})/.exec(text)?.[1] ?? '';

test('G25 /forget asks for its code, and with it nothing of the person is left in any table, queue or log', async () => {
  const lines: string[] = [];
  const keep = (...line: unknown[]): void => void lines.push(JSON.stringify(line));
  const logger: Logger = {
    ...silentLogger,
    debug: keep,
    info: keep,
    warn: keep,
    error: keep,
    child: () => logger,
  };
  const talker: ModelScript = () => ({ text: `Noted. The gondola waits. ${words(300)}` });
  await using world = await openTurnWorld({ script: followNudges(talker), window: 16_000, logger });
  await talk(world, 1);
  const sessionId = await world.sessionId();
  const blocks = () => world.store.dcp.blocks(sessionId);
  while ((await world.store.compactions.ledger({ sessionId, limit: 9 })).length === 0) await talk(world, 1);
  await ask(world, '/engine lcm');
  await talk(world, 1);
  await ask(world, '/title The ferry');
  while ((await world.store.lcm.heads(sessionId)).length < 2) await talk(world, 1);
  await ask(world, '/engine dcp');
  while ((await blocks()).length === 0) await talk(world, 1);
  const phrases = { texts: ['ferry', 'gondola', 'Ada'], personIds: [1] };
  const before = Object.keys(await world.store.erase.traces(phrases));
  expect(before).toEqual(
    expect.arrayContaining([
      'dcp_block.body',
      'identities.name',
      'inbox.raw',
      'lcm_summaries.content',
      'mailbox.content',
      'message_search.tsv',
      'messages.parts',
      'outbox.text',
      'outbox_parts.text',
      'usage_days.person_id',
    ]),
  );

  const asked = await ask(world, '/forget');
  const wrong = await ask(world, '/forget 000000');
  expect(wrong).toContain('That code is wrong');
  await world.say(`/forget ${codeIn(asked)}`);
  await world.hear(1, (text) => text.includes('Erased:'));

  expect(await world.heard()).toEqual([
    expect.stringMatching(
      /^ℹ️ Erased: \d+ messages in 1 conversations, 0 quotes of them, \d+ summaries, \d+ files\./,
    ),
  ]);
  expect(await world.store.erase.traces(phrases)).toEqual({});
  expect(await queuesWith(world.databaseUrl, 'ferry')).toEqual([]);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => /ferry|gondola|Ada/.test(line))).toEqual([]);
  const rows = await world.rows();
  expect(rows.every((row) => row.state === 'withdrawn' && row.parts.length === 0)).toBe(true);
  expect(await world.store.lcm.doctor(sessionId)).toEqual([]);
  expect(await world.store.dcp.blocks(sessionId)).toEqual([]);
  await world.say('Hello again.');
  expect((await world.hear(1, isAnswer))[0]).toContain('Noted');
  expect(await world.sessionId()).toBe(sessionId);
  expect(world.model.violations).toEqual([]);
}, 120_000);

test('a code goes with its request, and is of no use to the next one', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 1);
  const code = codeIn(await ask(world, '/forget'));
  await world.say(`/forget ${code}`);
  await world.hear(1, (text) => text.includes('Erased:'));

  expect(await ask(world, `/forget ${code}`)).toContain('That code is wrong');
}, 60_000);
