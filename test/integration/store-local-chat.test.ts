import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCompaction, planRow, makePlan, summaryPlan } from '../support/plans.ts';
import {
  assistantRow,
  openStoreWorld,
  personRow,
  type StoreWorld,
  type TestSession,
} from '../support/store-world.ts';

let world: StoreWorld;
beforeAll(async () => {
  world = await openStoreWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const localChat = (chatId: string) =>
  world.newSession({ platform: 'local', account: 'local', chatId, userId: 'me' });
const textsOfHistory = async (chatId: string, limit = 50) =>
  (await world.localChat.history(chatId, limit)).map((line) => line.text);

async function send(session: TestSession, text: string, kind: 'final' | 'notice'): Promise<number> {
  const id = await world.addReply(session, text, kind);
  const [part] = await world.outbox.begin(id, [{ text }]);
  await world.outbox.partSent(part?.id ?? 0, 'x');
  return id;
}

test('a person sees everything said, archived lines in their place, no summaries and no copies', async () => {
  const session = await localChat('c1');
  const said = ['one', 'two', 'three', 'four'];
  const rows = await world.append(
    session.lease,
    said.map((text, index) => (index % 2 === 0 ? personRow(text) : assistantRow(text))),
  );
  const ids = rows.map((row) => row.id);
  const first = await openCompaction(world.compactions, session.sessionId);
  await world.compactions.apply(session.lease, first, summaryPlan(ids.slice(0, 2), 'a summary'), []);
  const second = await openCompaction(world.compactions, session.sessionId);
  const copy = planRow(personRow('[three, shortened]'), { kind: 'replaces', rowId: ids[2] ?? 0 });
  await world.compactions.apply(
    session.lease,
    second,
    makePlan({ archive: [ids[2] ?? 0], write: [copy] }),
    [],
  );

  const lines = await world.localChat.history('c1', 50);

  expect(lines.map(({ role, kind, text }) => [role, kind, text])).toEqual([
    ['user', 'person', 'one'],
    ['assistant', 'assistant', 'two'],
    ['user', 'person', 'three'],
    ['assistant', 'assistant', 'four'],
  ]);
  expect(lines[0]?.id).toBe(`message-${ids[0]}`);
});

test('what we write in front of a text for the model and rows that only call tools are not shown', async () => {
  const session = await localChat('c2');
  await world.append(session.lease, [
    {
      ...personRow('x'),
      parts: [
        { type: 'header', text: '[Monday 10:00]' },
        { type: 'text', text: 'hello' },
      ],
    },
    { ...assistantRow('x'), parts: [{ type: 'tool_call', id: 'call-1', name: 'clock', arguments: '{}' }] },
    {
      role: 'tool',
      kind: 'tool',
      tokens: 5,
      parts: [{ type: 'tool_result', callId: 'call-1', name: 'clock', text: '10:00', isError: false }],
    },
    assistantRow('good morning'),
  ]);

  expect(await textsOfHistory('c2')).toEqual(['hello', 'good morning']);
});

test('withdrawn lines are gone from the page', async () => {
  const session = await localChat('c3');
  const rows = await world.append(session.lease, [personRow('stays'), personRow('taken back')]);
  await world.query('UPDATE messages SET active = 0 WHERE session_id = $1 AND id = $2', [
    session.sessionId,
    rows[1]?.id,
  ]);

  expect(await textsOfHistory('c3')).toEqual(['stays']);
});

test('a former session of the chat stays on the page, notices stand where they were said', async () => {
  const former = await localChat('c4');
  await world.append(former.lease, [personRow('before the reset')]);
  await send(former, 'condensed', 'notice');
  const now = await localChat('c4');
  await world.append(now.lease, [personRow('after the reset')]);
  await send(now, 'the answer is in the transcript already', 'final');

  expect(await textsOfHistory('c4')).toEqual(['before the reset', 'condensed', 'after the reset']);
});

test('a limit keeps the newest lines, oldest first', async () => {
  const session = await localChat('c5');
  await world.append(session.lease, ['one', 'two', 'three'].map(personRow));

  expect(await textsOfHistory('c5', 2)).toEqual(['two', 'three']);
});

test('another chat is not on the page, nor is a chat of that name on another platform', async () => {
  const other = await localChat('c6-other');
  await world.append(other.lease, [personRow('other chat')]);
  const telegram = await world.newSession({ chatId: 'c6' });
  await world.append(telegram.lease, [personRow('other platform')]);

  expect(await textsOfHistory('c6')).toEqual([]);
});

test('sent replies after an id come oldest first, waiting ones do not', async () => {
  const session = await localChat('c7');
  const first = await send(session, 'first', 'final');
  await send(session, 'second', 'notice');
  await send(session, 'third', 'final');
  await world.addReply(session, 'still waiting');

  const replies = await world.localChat.repliesAfter('c7', first);

  expect(replies.map(({ text, kind }) => [text, kind])).toEqual([
    ['second', 'notice'],
    ['third', 'final'],
  ]);
});

test('the text so far is that of the running turn, null when none runs', async () => {
  const session = await localChat('c8');
  const idle = await world.localChat.progress('c8');
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch) VALUES ($1, 't1', $2, 1, 1, 1)`,
    [session.sessionId, session.chat.chatRowId],
  );
  const begun = await world.localChat.progress('c8');
  await world.query(
    `INSERT INTO turn_progress (session_id, turn_id, chat_row_id, text, note) VALUES ($1, 't1', $2, 'Hel', 'thinking')`,
    [session.sessionId, session.chat.chatRowId],
  );

  expect(idle).toBeNull();
  expect(begun).toEqual({ turnId: 't1', text: '', note: '' });
  expect(await world.localChat.progress('c8')).toEqual({ turnId: 't1', text: 'Hel', note: 'thinking' });
});
