import { PlanOutdated } from '@palimpsest/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, countersOf, idsOf, sessionWith } from '../support/compacted-sessions.ts';
import { makePlan, openCompaction, planRow, someFigures, summaryPlan, summaryRow } from '../support/plans.ts';
import { assistantRow, openStoreWorld, personRow, textsOf, type StoreWorld } from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('S1 after a compaction the prompt is head, summary, tail in seq order, and every line can still be read', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four', 'five', 'six']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(1, 4), 'a summary'));

  const live = await world.transcript.liveRows(session.sessionId);

  expect(textsOf(live)).toEqual(['one', 'a summary', 'five', 'six']);
  expect(live.map((row) => row.seq)).toEqual([1024, 5119, 5120, 6144]);
  const page = await world.transcript.page(session.sessionId, { afterSeq: 0, limit: 10 });
  expect(textsOf(page)).toEqual(['one', 'two', 'three', 'four', 'a summary', 'five', 'six']);
});

test('archived rows keep every byte and name the compaction that took them', async () => {
  const session = await sessionWith(world, ['one', 'zwei  \n', 'три 🙂', 'four']);
  const columns = `id, seq, role, kind, sender_id, sent_at, turn_id, step, part, parts::text, tokens, created_at`;
  const before = await world.query(
    `SELECT ${columns} FROM messages WHERE session_id = $1 ORDER BY seq LIMIT 3`,
    [session.sessionId],
  );
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 3), 'a summary'));

  const after = await world.query(
    `SELECT ${columns} FROM messages WHERE session_id = $1 AND archived_by = $2 ORDER BY seq`,
    [session.sessionId, compactionId],
  );

  expect(after).toEqual(before);
  const page = await world.transcript.page(session.sessionId, {
    afterSeq: 0,
    limit: 10,
    states: ['archived'],
  });
  expect(page.map((row) => [row.state, row.archivedBy])).toEqual([
    ['archived', compactionId],
    ['archived', compactionId],
    ['archived', compactionId],
  ]);
});

test('thirty compactions of one session delete nothing and every line stays findable', async () => {
  const session = await world.newSession();
  const said: string[] = [];
  for (let round = 1; round <= 30; round += 1) {
    const texts = [1, 2, 3, 4].map((line) => `round${round}line${line}`);
    said.push(...texts);
    await world.append(session.lease, texts.map(personRow));
    const live = idsOf(await world.transcript.liveRows(session.sessionId));
    await applyPlan(world, session, summaryPlan(live.slice(1, -2), `summary ${round}`));
  }

  const all = await world.transcript.page(session.sessionId, { afterSeq: 0, limit: 1_000 });
  const live = await world.transcript.liveRows(session.sessionId);
  const hits = await world.transcript.search({ sessionId: session.sessionId }, 'round17line3', {
    limit: 5,
    neighbours: 0,
    liveOfOwnSession: false,
  });

  expect(textsOf(all.filter((row) => row.kind === 'person'))).toEqual(said);
  expect(all).toHaveLength(150);
  expect(textsOf(live)).toEqual(['round1line1', 'summary 30', 'round30line3', 'round30line4']);
  expect(textsOf(hits.map((hit) => hit.row))).toEqual(['round17line3']);
});

test('S3 a summary is read back as a summary, also one that stands in front of a message', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const [, second = 0, third = 0] = session.ids;
  const merged = {
    ...summaryRow('merged summary'),
    parts: [{ type: 'header', text: 'merged summary' } as const],
  };
  await applyPlan(world, session, summaryPlan([second], 'a summary'));
  await applyPlan(
    world,
    session,
    makePlan({ archive: [third], write: [planRow(merged, { kind: 'replaces', rowId: third })] }),
  );

  const live = await world.transcript.liveRows(session.sessionId);

  expect(live.map((row) => [row.kind, row.replaces, row.parts[0]?.type])).toEqual([
    ['person', undefined, 'text'],
    ['summary', undefined, 'text'],
    ['summary', third, 'header'],
    ['assistant', undefined, 'text'],
  ]);
});

test('S4 what a row does not have is NULL, no text that says so', async () => {
  const session = await world.newSession();
  await world.append(session.lease, [assistantRow('hello')]);
  const columns = 'sender_id, tool_call_id, replaces, archived_by';

  const rows = await world.query(`SELECT ${columns} FROM messages WHERE session_id = $1`, [
    session.sessionId,
  ]);
  const [read] = await world.transcript.liveRows(session.sessionId);

  expect(rows).toEqual([{ sender_id: null, tool_call_id: null, replaces: null, archived_by: null }]);
  expect([read?.sender, read?.toolCallId, read?.replaces]).toEqual([undefined, undefined, undefined]);
});

test('a row that replaces one follows its place, carries no turn and leaves the origin archived', async () => {
  const session = await sessionWith(world, ['one', 'a very long answer', 'three']);
  const place = { kind: 'replaces', rowId: session.ids[1] ?? 0 } as const;
  const plan = makePlan({
    archive: [session.ids[1] ?? 0],
    write: [planRow(assistantRow('[shortened]'), place)],
  });
  await applyPlan(world, session, plan);

  const live = await world.transcript.liveRows(session.sessionId);

  expect(textsOf(live)).toEqual(['one', '[shortened]', 'three']);
  expect(live[1]).toMatchObject({ seq: 2049, replaces: session.ids[1] });
  expect([live[1]?.turnId, live[1]?.step, live[1]?.part]).toEqual([undefined, undefined, undefined]);
});

test('planned rows are not indexed for search', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'zebrafish summary'));

  const rows = await world.query(
    'SELECT message_id FROM message_search WHERE session_id = $1 ORDER BY message_id',
    [session.sessionId],
  );

  expect(rows.map((row) => Number(row['message_id']))).toEqual(session.ids);
});

test('a plan over a row that is no longer live changes nothing', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first'));
  const before = await world.transcript.liveRows(session.sessionId);
  const again = applyPlan(world, session, summaryPlan(session.ids.slice(1, 3), 'second'));

  await expect(again).rejects.toThrow(PlanOutdated);
  expect(await world.transcript.liveRows(session.sessionId)).toEqual(before);
});

test('a place whose row is no longer live makes the plan void too', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'first'));
  const place = { kind: 'range', lastRowId: session.ids[1] ?? 0 } as const;

  await expect(
    applyPlan(world, session, makePlan({ write: [planRow(summaryRow('second'), place)] })),
  ).rejects.toThrow(PlanOutdated);
});

test('a full gap refuses the plan with no_seq and nothing is written, no event either', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  await world.query('UPDATE messages SET seq = 1025 WHERE session_id = $1 AND seq = 2048', [
    session.sessionId,
  ]);
  await world.query('UPDATE messages SET seq = 1026 WHERE session_id = $1 AND seq = 3072', [
    session.sessionId,
  ]);
  const place = { kind: 'replaces', rowId: session.ids[0] ?? 0 } as const;
  const plan = makePlan({ archive: [session.ids[0] ?? 0], write: [planRow(personRow('short'), place)] });

  await expect(applyPlan(world, session, plan)).rejects.toMatchObject({ code: 'no_seq' });
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['one', 'two', 'three']);
  expect(await world.query('SELECT 1 FROM events WHERE session_id = $1', [session.sessionId])).toEqual([]);
});

test('S6 the event is written in the same transaction with the figures', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const compactionId = await applyPlan(world, session, summaryPlan(session.ids.slice(0, 2), 'a summary'));

  const events = await world.query('SELECT type, payload FROM events WHERE session_id = $1', [
    session.sessionId,
  ]);

  expect(events).toEqual([
    {
      type: 'session:compress',
      payload: {
        type: 'session:compress',
        sessionId: session.sessionId,
        oldSessionId: '',
        inPlace: true,
        platform: 'telegram',
        engine: 'compressor',
        layer: 'agent',
        trigger: 'threshold',
        outcome: 'success',
        compactionId,
        compactionCount: 1,
        figures: someFigures,
      },
    },
  ]);
});

test('S7 when a reply of the compaction cannot be written, rows, ledger and event stay as they were', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three']);
  const id = await openCompaction(world.compactions, session.sessionId);
  const broken = { key: 'k', chat: session.chat, kind: null as never, text: 'condensed' };

  await expect(
    world.compactions.apply(session.lease, id, summaryPlan(session.ids.slice(0, 2), 's'), [broken]),
  ).rejects.toMatchObject({
    code: 'database_error',
  });
  expect(textsOf(await world.transcript.liveRows(session.sessionId))).toEqual(['one', 'two', 'three']);
  expect(await world.query('SELECT 1 FROM events WHERE session_id = $1', [session.sessionId])).toEqual([]);
  expect(await world.compactions.ledger({ sessionId: session.sessionId, limit: 5 })).toMatchObject([
    { id, outcome: null },
  ]);
});

test('the session forgets its prompt count, rises in revision and keeps its first note', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'first', { systemNote: 'the note' }));
  await applyPlan(
    world,
    session,
    summaryPlan([session.ids[1] ?? 0], 'second', { systemNote: 'another note' }),
  );

  expect(await countersOf(world, session.sessionId)).toMatchObject({
    last_prompt_tokens: -1,
    revision: 3,
    compaction_count: 2,
    system_note: 'the note',
  });
});

test('a local summary after a failed model is a strike with a rest, and a summary that comes ends both', async () => {
  const session = await sessionWith(world, ['one', 'two', 'three', 'four']);
  const local = { outcome: 'deterministic', reason: 'summary_timeout', cooldownMs: 60_000 } as const;
  await applyPlan(world, session, summaryPlan([session.ids[0] ?? 0], 'local', local));
  const rested = await countersOf(world, session.sessionId);
  await applyPlan(world, session, summaryPlan([session.ids[1] ?? 0], 'real'));

  expect(rested).toMatchObject({ failure_streak: 1, cooldown_reason: 'summary_timeout', rests: true });
  expect(await countersOf(world, session.sessionId)).toMatchObject({
    failure_streak: 0,
    cooldown_reason: null,
    rests: null,
  });
});

test('the engine state of a plan is stored with it', async () => {
  const session = await sessionWith(world, ['one', 'two']);
  await applyPlan(world, session, makePlan({ state: { engine: 'of-a-plugin', json: { blocks: [1] } } }));

  const rows = await world.query('SELECT engine, state FROM engine_state WHERE session_id = $1', [
    session.sessionId,
  ]);

  expect(rows).toEqual([{ engine: 'of-a-plugin', state: { blocks: [1] } }]);
});
