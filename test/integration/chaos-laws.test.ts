/** What a run of random faults must not leave in the database: each law is broken once, and found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBrokenLaws, readRecords } from '../../apps/evals/src/chaos/records.ts';
import type { Stage } from '../../apps/evals/src/chaos/stage.ts';
import { watchWriters } from '../../apps/evals/src/chaos/watch-writers.ts';
import { applyPlan, sessionWith, type FilledSession } from '../support/compacted-sessions.ts';
import { someFigures, summaryPlan } from '../support/plans.ts';
import { openStoreWorld, personRow, type StoreWorld } from '../support/store-world.ts';
import { callRows } from '../support/stored-dcp.ts';

let world: StoreWorld;
let session: FilledSession;
beforeAll(async () => {
  world = await openStoreWorld();
  await watchWriters(world.url);
  // Harm is done under the name of the one who wrote the rows: only the law that is meant breaks.
  await world.query(`SET application_name = 'palimpsest'`);
  session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await world.append(session.lease, callRows('call-1'));
  const plan = summaryPlan(session.ids.slice(0, 2), 'one and two', {
    figures: { ...someFigures, rowsArchived: 2 },
  });
  await applyPlan(world, session, plan);
});
afterAll(() => world[Symbol.asyncDispose]());

/** The laws that are broken after one statement, without how often; the other one takes it back. */
async function brokenBy(harm: string, repair: string): Promise<string[]> {
  const [archived, , live] = session.ids;
  const run = (statement: string) =>
    world.query(
      statement
        .replaceAll(':session', `'${session.sessionId}'`)
        .replaceAll(':archived', String(archived))
        .replaceAll(':live', String(live)),
    );
  await run(harm);
  const broken = await readBrokenLaws(world.url);
  await run(repair);
  return broken.map((sentence) => sentence.replace(/: \d+ times, first [^]*$/, ''));
}

const forgetWriter = `DELETE FROM chaos_writes WHERE writer = 'someone else'`;

test('a session that was written and condensed as it should breaks none', async () => {
  expect(await readBrokenLaws(world.url)).toEqual([]);
});

test('who wrote a row under which epoch is noted as it happens', async () => {
  const rows = await world.query(
    'SELECT DISTINCT session_id, epoch::int FROM chaos_writes WHERE message_id = ANY($1)',
    [session.ids],
  );

  expect(rows).toEqual([{ session_id: session.sessionId, epoch: 1 }]);
});

test.each([
  [
    'two programs wrote one session under one epoch',
    `INSERT INTO chaos_writes (session_id, message_id, epoch, writer) VALUES (:session, :live, 1, 'someone else')`,
    forgetWriter,
  ],
  [
    'a session was written under an epoch that was over',
    `INSERT INTO chaos_writes (session_id, message_id, epoch, writer) VALUES (:session, :live, 0, 'someone else')`,
    forgetWriter,
  ],
  [
    'a row is neither live nor archived',
    'UPDATE messages SET active = 0 WHERE session_id = :session AND id = :live',
    'UPDATE messages SET active = 1 WHERE session_id = :session AND id = :live',
  ],
  [
    'a ledger row is open though nothing runs',
    `INSERT INTO compactions (session_id, epoch_before, engine, layer, trigger, started_at, window_tokens, window_source,
       threshold_raw, trigger_tokens, main_model)
     SELECT session_id, epoch_before, engine, layer, trigger, now() - interval '10 minutes', window_tokens, window_source,
       threshold_raw, trigger_tokens, main_model FROM compactions`,
    'DELETE FROM compactions WHERE outcome IS NULL',
  ],
  [
    'an applied compaction has another number of archived rows than its ledger row says',
    `UPDATE compactions SET figures = jsonb_set(figures, '{rowsArchived}', '3')`,
    `UPDATE compactions SET figures = jsonb_set(figures, '{rowsArchived}', '2')`,
  ],
  [
    'an applied compaction has not exactly one event',
    `UPDATE events SET type = 'other' WHERE type = 'session:compress'`,
    `UPDATE events SET type = 'session:compress' WHERE type = 'other'`,
  ],
  [
    'a tool call has no result in the transcript, or a result no call',
    `UPDATE messages SET tool_call_id = 'call-2' WHERE kind = 'tool'`,
    `UPDATE messages SET tool_call_id = 'call-1' WHERE kind = 'tool'`,
  ],
  [
    // Two rows are archived, and no summary of that engine stands for them.
    'a message is reached from the lossless context not exactly once',
    `UPDATE sessions SET engine = 'lcm' WHERE id = :session`,
    `UPDATE sessions SET engine = 'compressor' WHERE id = :session`,
  ],
])('%s', async (law, harm, repair) => {
  expect(await brokenBy(harm, repair)).toEqual([law]);
});

test('a row that was archived by nobody is missing from its ledger row too', async () => {
  const [harm, repair] = ['NULL', '(SELECT id FROM compactions)'].map(
    (by) => `UPDATE messages SET archived_by = ${by} WHERE session_id = :session AND id = :archived`,
  );

  expect(await brokenBy(harm!, repair!)).toEqual([
    'an archived row names no compaction that was applied',
    'an applied compaction has another number of archived rows than its ledger row says',
  ]);
});

test('what was broken was put right each time', async () => {
  expect(await readBrokenLaws(world.url)).toEqual([]);
});

test('a question whose turn was given up in the next chapter is one of the chapter before it', async () => {
  const place = { chatId: '7000', userId: '7000' };
  const before = await world.newSession(place);
  const [row] = await world.append(before.lease, [personRow('q1 when does the ferry leave?')]);
  const now = await world.newSession(place);
  await world.query('UPDATE sessions SET parent_session_id = $2 WHERE id = $1', [
    now.sessionId,
    before.sessionId,
  ]);
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, state)
     SELECT $1, turn_id, $2, 1, 1, 1, 'failed' FROM messages WHERE id = $3`,
    [now.sessionId, now.chat.chatRowId, row!.id],
  );

  const { chats } = await readRecords(emptyStage(), new Map());

  expect(chats.find(({ name }) => name === 'telegram 7000')).toMatchObject({
    stored: ['q1'],
    givenUp: ['q1'],
  });
});

/** Counterparts on which nothing was said, before this database. */
function emptyStage(): Stage {
  const telegram = { sent: () => [], violations: [] };
  const discord = { addDm: ({ id }: { id: string }) => ({ id }), sent: () => [], violations: [] };
  const stage: unknown = { databaseUrl: world.url, telegram, discord, model: { violations: [] } };
  return stage as Stage;
}
