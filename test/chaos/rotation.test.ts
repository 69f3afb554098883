/** Crashes of the worker while a conversation moves to a child session (`in_place: false`), at every step of the way. */
import { describe, expect, test } from 'vitest';
import type { ModelScript, ScriptRequest } from '@palimpsest/testkit';
import type { StatementPoint } from '../support/chaos/hold-statement.ts';
import { answerText, gate, marksIn, type Gate } from '../support/chaos/scripts.ts';
import { botApiSchema, noViolations, openChaos, until, type ChaosWorld } from '../support/chaos/world.ts';

const ada = 502;
/** The trigger is 6,000; a message and its answer have about 1,500 tokens. */
const window = 8_000;
const compression = { in_place: false, background: false };
const filler = 'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(40);

/** Summaries are asked for without tools. The first answer out of a child session waits at the gate, if there is one. */
function talking(afterMove?: Gate): ModelScript {
  return async (request) => {
    if (request.tools.length === 0) return { text: '## Goal\nTake the ferry to the island' };
    if (afterMove && isInChild(request)) await afterMove.pass();
    return { text: `${answerText(request)}. ${filler}` };
  };
}

const isInChild = (request: ScriptRequest): boolean =>
  request.messages.some((message) => message.text.includes('[CONTEXT COMPACTION]'));

/** One transaction: whatever was written before the step is gone with it. */
const steps: readonly (readonly [step: string, point: StatementPoint])[] = [
  ['the child is opened', { table: 'sessions', event: 'INSERT', when: 'NEW.parent_session_id IS NOT NULL' }],
  ['rows are copied into it', { table: 'messages', event: 'INSERT', when: 'NEW.replaces IS NOT NULL' }],
  ['the rows of the parent are archived', { table: 'messages', event: 'UPDATE', when: 'NEW.compacted = 1' }],
  [
    'the chat is pointed at the child',
    { table: 'chats', event: 'UPDATE', when: 'NEW.session_id <> OLD.session_id' },
  ],
  ['the mail moves along', { table: 'mailbox', event: 'UPDATE', when: 'NEW.session_id <> OLD.session_id' }],
  ['the turn moves along', { table: 'turns', event: 'UPDATE', when: 'NEW.session_id <> OLD.session_id' }],
  ['the ledger row moves along', { table: 'compactions', event: 'UPDATE', when: `NEW.old_session_id <> ''` }],
  ['the event is written', { table: 'events', event: 'INSERT', when: `NEW.type = 'session:compress'` }],
];

describe.skipIf(botApiSchema.missing)('a crash of the worker in a rotation', { concurrent: true }, () => {
  test.for(steps)(
    'when %s: nothing of it is left, and the next one moves and answers',
    async ([, point], context) => {
      await using world = await openChaos({
        ...context,
        queue: 'redis',
        script: talking(),
        window,
        compression,
      });
      const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
      await using held = await world.hold(point);
      const marks = await talkUntil(world, () => held.reached());

      await worker.kill();
      await held.release();
      expect(await sessionsOf(world)).toMatchObject([{ is_root: true, is_closed: false, archived: 0 }]);
      await world.start('worker');

      await movedOnce(world, marks);
    },
  );

  test('when it is done and the parent not yet let go: the child goes on', async (context) => {
    await using world = await openChaos({
      ...context,
      queue: 'redis',
      script: talking(),
      window,
      compression,
    });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    await using held = await world.hold({
      table: 'sessions',
      event: 'UPDATE',
      when: 'NEW.closed_at IS NOT NULL AND OLD.lease_owner IS NOT NULL AND NEW.lease_owner IS NULL',
    });
    const marks = await talkUntil(world, () => held.reached());

    await worker.kill();
    await held.release();
    await world.start('worker');

    await movedOnce(world, marks);
  });

  test('when the model answers in the child: the same turn goes on there', async (context) => {
    const afterMove = gate();
    const script = talking(afterMove);
    await using world = await openChaos({ ...context, queue: 'redis', script, window, compression });
    const [, worker] = await Promise.all([world.start('gateway'), world.start('worker')]);
    const marks = await talkUntil(world, () => afterMove.reached);

    await worker.kill();
    afterMove.open();
    await world.start('worker');

    await movedOnce(world, marks);
  });
});

/** Say long messages, each after the answer to the one before, until the move is under way. */
async function talkUntil(world: ChaosWorld, reached: () => Promise<void>): Promise<string[]> {
  const seen = { isReached: false };
  void reached().then(
    () => (seen.isReached = true),
    () => {},
  );
  const marks: string[] = [];
  while (!seen.isReached && marks.length < 9) {
    marks.push(`m${marks.length + 1}`);
    world.says(ada, `${marks.at(-1)!} ${filler}`);
    await until(() => expect(seen.isReached || answered(world).length === marks.length).toBe(true));
  }
  expect(seen.isReached).toBe(true);
  return marks;
}

const answered = (world: ChaosWorld): string[] => world.heard(ada).flatMap(marksIn);

function sessionsOf(world: ChaosWorld): Promise<Record<string, unknown>[]> {
  return world.sql(`SELECT s.id, s.parent_session_id, s.parent_session_id IS NULL AS is_root,
      s.closed_at IS NOT NULL AS is_closed, EXISTS (SELECT 1 FROM chats c WHERE c.session_id = s.id) AS has_chat,
      count(m.id) FILTER (WHERE m.active = 1)::int AS live,
      count(m.id) FILTER (WHERE m.active = 0)::int AS archived
    FROM sessions s LEFT JOIN messages m ON m.session_id = s.id GROUP BY s.id ORDER BY s.created_at`);
}

/** The conversation stands in one child, its chat points there, and each message is kept and answered once. */
async function movedOnce(world: ChaosWorld, marks: readonly string[]): Promise<void> {
  await until(() => expect(answered(world)).toHaveLength(marks.length));
  await world.quiet();
  const [parent, child, ...others] = await sessionsOf(world);
  expect(others).toEqual([]);
  expect(parent).toMatchObject({ is_root: true, is_closed: true, has_chat: false, live: 0 });
  expect(child).toMatchObject({
    parent_session_id: parent!.id,
    is_closed: false,
    has_chat: true,
    archived: 0,
  });
  expect(answered(world)).toEqual(marks);
  const kept = await world.sql(
    `SELECT m.parts::text AS text FROM messages m JOIN sessions s ON s.id = m.session_id
      WHERE m.kind = 'person' AND m.replaces IS NULL ORDER BY s.created_at, m.seq`,
  );
  expect(kept.flatMap((row) => marksIn(String(row.text)))).toEqual(marks);
  const events = await world.sql(`SELECT payload FROM events WHERE type = 'session:compress'`);
  expect(events).toMatchObject([
    { payload: { inPlace: false, oldSessionId: parent!.id, sessionId: child!.id } },
  ]);
  noViolations(world);
}
