/** /link: accounts of one person on two platforms share conversations in direct messages, and no right beside that. */
import type { IncomingUpdate, Lease, MailboxRow, NextWork, Platform } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answer, claimed, messageUpdate, policy, render } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() =>
  world.sql(
    'TRUNCATE sessions, chats, inbox, identities, people, access_grants, mailbox, outbox, pairings, attempt_limits, usage_days CASCADE',
  ),
);

const accounts = {
  telegram: { platform: 'telegram', id: '900' },
  discord: { platform: 'discord', id: '901' },
} as const;
const open = { allowAll: true, allowedUsers: [], allowedChats: [] };
type Side = keyof typeof accounts;

let messages = 0;
/** Somebody writes in a direct chat; the session it went to. */
async function write(side: Side, userId: string, text: string): Promise<string> {
  messages += 1;
  const [name, ...words] = text.slice(1).split(' ');
  const command = text.startsWith('/') ? { name: name!, argument: words.join(' ') } : undefined;
  const update: IncomingUpdate = messageUpdate(messages, text, {
    sender: { id: userId, name: `person ${userId}`, isBot: false },
    chat: { chatId: `dm-${userId}`, threadId: '', kind: 'direct' },
    command,
  });
  const chosen = policy({ account: accounts[side], lists: open });
  const [stored] = await world.store.intake.storeUpdates(chosen, [update]);
  return stored!.sessionId!;
}

/** The command that waits in a session, under a lease. */
async function takeCommand(sessionId: string): Promise<{ lease: Lease; row: MailboxRow }> {
  const lease = await claimed(world.store, sessionId);
  for (;;) {
    const work = await nextWork(lease);
    if (work.kind === 'command') return { lease, row: work.row };
    if (work.kind !== 'turn') throw new Error(`the next work is ${work.kind}`);
    await answer(world.store, lease, work.turn, 'an answer');
  }
}

function nextWork(lease: Lease): Promise<NextWork> {
  const lists = { telegram: open, discord: open, local: open };
  return world.store.turns.nextWork(lease, {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect: true,
    lists,
    render,
  });
}

async function issue(side: Side, userId: string): Promise<{ code: string; sessionId: string }> {
  const sessionId = await write(side, userId, '/link');
  const { lease, row } = await takeCommand(sessionId);
  const code = await world.store.links.issue({ platform: side, userId }, row.chat);
  await world.store.turns.finishCommand(lease, row, { replies: [] });
  await world.store.turns.release(lease);
  return { code, sessionId };
}

async function redeem(side: Side, userId: string, code: string) {
  const { lease, row } = await takeCommand(await write(side, userId, `/link ${code}`));
  const linked = await world.store.links.redeem(lease, {
    row,
    who: { platform: side, userId },
    code,
    replies: ({ platform }) => [
      { key: `linked-${row.seq}`, chat: row.chat, kind: 'notice', text: `with ${platform}` },
    ],
  });
  if (linked.kind !== 'linked') await world.store.turns.finishCommand(lease, row, { replies: [] });
  await world.store.turns.release(lease);
  return linked;
}

test.each([
  ['telegram', 'discord'],
  ['discord', 'telegram'],
] as const)('a conversation goes on from %s to %s, and what waits moves along', async (from, to) => {
  const begun = await write(from, '1', 'remember the plum');
  const { code } = await issue(from, '1');
  const alone = await write(to, '2', 'hello');
  const command = await takeCommand(await write(to, '2', `/link ${code}`));
  await write(to, '2', 'what did I say?');

  const linked = await world.store.links.redeem(command.lease, {
    row: command.row,
    who: { platform: to, userId: '2' },
    code,
    replies: () => [{ key: 'linked', chat: command.row.chat, kind: 'notice', text: 'linked' }],
  });

  expect(linked).toEqual({ kind: 'linked', platform: from, sessionId: begun });
  expect(alone).not.toBe(begun);
  const work = await nextWork(await claimed(world.store, begun));
  if (work.kind !== 'turn') throw new Error(`the next work is ${work.kind}`);
  const { turn } = work;
  expect(turn.chat.account.platform).toBe(to);
  expect(turn.mailbox.map(({ content }) => ('message' in content ? content.message.text : ''))).toEqual([
    'what did I say?',
  ]);
  expect(await world.sql(`SELECT account, text FROM outbox WHERE key = 'linked'`)).toEqual([
    { account: `${to}-${accounts[to].id}`, text: 'linked' },
  ]);
  expect(await world.store.links.others({ platform: to, userId: '2' })).toEqual([
    { platform: from, userId: '1' },
  ]);
  expect((await world.store.turns.conversations(begun)).map(({ id }) => id)).toContain(alone);
});

test('a code works once, for an hour, for another account only', async () => {
  const { code, sessionId } = await issue('telegram', '1');

  expect(await redeem('telegram', '1', code)).toEqual({ kind: 'own' });
  expect(await redeem('discord', '2', code.toLowerCase())).toMatchObject({ kind: 'linked', sessionId });
  expect(await redeem('discord', '3', code)).toMatchObject({ kind: 'unknown' });

  const later = await issue('telegram', '1');
  await world.sql(`UPDATE pairings SET expires_at = now() - interval '1 second' WHERE used_at IS NULL`);
  expect(await redeem('discord', '3', later.code)).toMatchObject({ kind: 'unknown' });
});

test('whoever guesses codes is stopped after five, and others are not', async () => {
  const { code } = await issue('telegram', '1');

  const guesses: unknown[] = [];
  for (let tries = 1; tries <= 5; tries++) guesses.push(await redeem('discord', '6', 'AAAAAAAA'));

  expect(guesses.at(-1)).toEqual({ kind: 'unknown', left: 0 });
  expect(await redeem('discord', '6', code)).toEqual({ kind: 'locked', minutes: 60 });
  expect(await redeem('discord', '2', code)).toMatchObject({ kind: 'linked' });
});

test('a pairing code lets nobody link, and a link code lets nobody in', async () => {
  const { code } = await issue('telegram', '1');

  expect(await world.store.access.approve(code, '')).toMatchObject({ kind: 'unknown' });
});

test('what both spent is one day of one person, and a right of one account is none of the other', async () => {
  await write('telegram', '1', 'hello');
  await write('discord', '2', 'hello');
  for (const [side, userId] of [
    ['telegram', '1'],
    ['discord', '2'],
  ] as const)
    await world.sql(
      `INSERT INTO usage_days (session_id, day, person_id, model, turns, microdollars)
       SELECT s.id, (now() AT TIME ZONE 'UTC')::date, i.person_id, 'm', 1, 500000 FROM sessions s, identities i
       WHERE s.platform = $1 AND i.platform = $1 AND i.user_id = $2`,
      [side, userId],
    );
  const { code } = await issue('telegram', '1');
  await redeem('discord', '2', code);

  for (const [platform, userId] of [
    ['telegram', '1'],
    ['discord', '2'],
  ] satisfies [Platform, string][])
    expect(await world.store.usage.today({ platform, userId })).toEqual({
      person: 1,
      personTurns: 2,
      installation: 1,
    });
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: '1', access: 'allow' });
  const closed = policy({
    account: accounts.discord,
    lists: { allowAll: false, allowedUsers: [], allowedChats: [] },
  });
  const fromDiscord = messageUpdate(9_000, 'hi', {
    sender: { id: '2', name: 'p', isBot: false },
    chat: { chatId: 'dm-2', threadId: '', kind: 'direct' },
  });
  expect(await world.store.intake.storeUpdates(closed, [fromDiscord])).toMatchObject([{ result: 'denied' }]);
});

test('/unlink parts them: the conversation stays where it began, the other side begins anew', async () => {
  const { code, sessionId: shared } = await issue('telegram', '1');
  await redeem('discord', '2', code);
  expect(await write('discord', '2', 'together')).toBe(shared);

  const { lease, row } = await takeCommand(await write('discord', '2', '/unlink'));
  const asked = { row, who: { platform: 'discord', userId: '2' }, replies: [] } as const;
  expect(await world.store.links.unlink(lease, asked)).toBe(true);
  expect(await world.store.links.unlink(lease, asked)).toBe(false);

  expect(await write('telegram', '1', 'alone')).toBe(shared);
  const apart = await write('discord', '2', 'alone too');
  expect(apart).not.toBe(shared);
  expect((await world.store.turns.conversations(apart)).map(({ id }) => id)).not.toContain(shared);
  expect(await world.store.links.others({ platform: 'telegram', userId: '1' })).toEqual([]);
});
