/** Strangers who write directly get a one-time code, and an operator lets them in with it. */
import type { IntakePolicy, Sender } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { group, messageUpdate, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() =>
  world.sql(
    'TRUNCATE sessions, chats, inbox, identities, people, access_grants, mailbox, outbox, pairings, attempt_limits CASCADE',
  ),
);

const offering: IntakePolicy = policy({
  lists: { allowAll: false, allowedUsers: [], allowedChats: [] },
  pairingText: (code) => `your code is ${code}`,
});

let messages = 0;
/** A stranger writes directly; what came of it. */
async function write(id: string, change: { isBot?: boolean; text?: string } = {}, chosen = offering) {
  messages += 1;
  const sender: Sender = { id, name: 'M', isBot: change.isBot ?? false };
  const chat = { chatId: id, threadId: '', kind: 'direct' } as const;
  const update = messageUpdate(messages, change.text ?? 'let me in', { sender, chat });
  const [stored] = await world.store.intake.storeUpdates(chosen, [update]);
  return stored!;
}

/** Codes that were told, oldest first. */
async function codes(): Promise<string[]> {
  const rows = await world.sql(`SELECT text FROM outbox WHERE text LIKE 'your code is %' ORDER BY id`);
  return rows.map(({ text }) => String(text).replace('your code is ', ''));
}

async function later(minutes: number): Promise<void> {
  for (const column of ['created_at', 'expires_at'])
    await world.sql(`UPDATE pairings SET ${column} = ${column} - $1 * interval '1 minute'`, [minutes]);
  await world.sql(`UPDATE attempt_limits SET locked_until = locked_until - $1 * interval '1 minute'`, [
    minutes,
  ]);
}

test('a stranger is turned away with a code of eight letters that cannot be mistaken, kept nowhere but as a hash', async () => {
  expect(await write('666')).toMatchObject({ result: 'denied', reason: 'not_allowlisted' });

  const [code] = await codes();
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  expect(await world.sql('SELECT raw FROM inbox')).toEqual([{ raw: null }]);
  expect(await world.sql('SELECT 1 FROM mailbox')).toEqual([]);
  const [stored] = await world.sql('SELECT code_hash, purpose, platform, user_id FROM pairings');
  expect(stored).toMatchObject({ purpose: 'access', platform: 'telegram', user_id: '666' });
  expect(String(stored?.code_hash)).toMatch(/^[0-9a-f]{32}\$[0-9a-f]{64}$/);
});

test('the code lets its person in for direct messages, once, and tells them', async () => {
  await write('666');
  const [code] = await codes();

  const approval = await world.store.access.approve(code!.toLowerCase(), 'you are in');

  expect(approval).toMatchObject({
    kind: 'approved',
    platform: 'telegram',
    userId: '666',
    account: { id: '900' },
  });
  expect(await world.sql('SELECT text FROM outbox ORDER BY id DESC LIMIT 1')).toEqual([
    { text: 'you are in' },
  ]);
  expect(await write('666')).toMatchObject({ result: 'stored' });
  const inGroup = messageUpdate(900, '@bot hello', {
    sender: { id: '666', name: 'M', isBot: false },
    chat: group,
  });
  expect(await world.store.intake.storeUpdates(offering, [inGroup])).toMatchObject([
    { result: 'denied', reason: 'not_allowlisted' },
  ]);
  expect(await world.store.access.approve(code!, '')).toEqual({ kind: 'unknown', left: 4 });
});

test('one person gets one code in ten minutes, then another that takes the place of the first', async () => {
  await write('666');
  await write('666');
  expect(await codes()).toHaveLength(1);

  await later(11);
  await write('666');

  const [first, second] = await codes();
  expect(await world.store.access.approve(first!, '')).toMatchObject({ kind: 'unknown' });
  expect(await world.store.access.approve(second!, '')).toMatchObject({ kind: 'approved' });
});

test('three codes wait on one platform at most, also when strangers write at the same moment', async () => {
  await Promise.all(['661', '662', '663', '664', '665'].map((id) => write(id)));
  expect(await codes()).toHaveLength(3);
  expect(await world.store.access.pending()).toHaveLength(3);

  await write('669');
  expect(await codes()).toHaveLength(3);
  await later(61);
  await write('669');

  expect(await codes()).toHaveLength(4);
  expect(await world.store.access.pending()).toMatchObject([{ platform: 'telegram', userId: '669' }]);
});

test('a code is worth nothing after an hour', async () => {
  await write('666');
  const [code] = await codes();
  await later(61);

  expect(await world.store.access.approve(code!, '')).toMatchObject({ kind: 'unknown' });
});

test('five wrong codes in a row lock approvals for an hour, the right code too', async () => {
  await write('666');
  const [code] = await codes();

  const left: unknown[] = [];
  for (let tries = 1; tries <= 5; tries++) left.push(await world.store.access.approve('AAAAAAAA', ''));

  expect(left).toEqual([4, 3, 2, 1, 0].map((more) => ({ kind: 'unknown', left: more })));
  expect(await world.store.access.approve(code!, '')).toEqual({ kind: 'locked', minutes: 60 });
  await world.sql(`UPDATE attempt_limits SET locked_until = now() - interval '1 second'`);
  expect(await world.store.access.approve(code!, '')).toMatchObject({ kind: 'approved' });
});

test('where an allow-list says who is meant, strangers hear nothing; bots and people an operator denied never do', async () => {
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '667', access: 'deny' });
  await write('666', {}, policy());
  await write('667');
  await write('668', { isBot: true }, { ...offering, allowBots: 'all' });

  expect(await world.sql('SELECT 1 FROM outbox UNION ALL SELECT 1 FROM pairings')).toEqual([]);
});

test('a person who is denied while a code waits is not let in by it', async () => {
  await write('666');
  const [code] = await codes();
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '666', access: 'deny' });

  expect(await world.store.access.approve(code!, '')).toMatchObject({ kind: 'unknown' });
  expect(await write('666')).toMatchObject({ result: 'denied', reason: 'denied_by_operator' });
});

test('what was granted by a code is taken back by a command', async () => {
  await write('666');
  const [code] = await codes();
  await world.store.access.approve(code!, '');

  expect(await world.store.access.forget({ platform: 'telegram', kind: 'user', id: '666' })).toBe(true);
  expect(await write('666')).toMatchObject({ result: 'denied' });
  expect(await world.store.access.forget({ platform: 'telegram', kind: 'user', id: '666' })).toBe(false);
});
