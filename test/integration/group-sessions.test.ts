/** Groups: one session that all share or one for each, what is overheard, bots that answer bots. */
import type { IncomingUpdate, IntakePolicy, Sender } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ada, claimed, group, messageUpdate, nextTurn, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() =>
  world.sql('TRUNCATE sessions, chats, inbox, identities, people, access_grants, mailbox, outbox CASCADE'),
);

const bob: Sender = { id: '43', name: 'Bob', isBot: false };
const otherBot: Sender = { id: '77', name: 'Parrot', isBot: true };
const topic = { ...group, threadId: '7' };
const perUser = (change: Partial<IntakePolicy> = {}) =>
  policy({ sessionsPerUser: { groups: true, threads: false }, ...change });

let messages = 0;
function said(sender: Sender, change: Partial<Parameters<typeof messageUpdate>[2]> = {}): IncomingUpdate {
  messages += 1;
  return messageUpdate(messages, `message ${messages}`, { sender, chat: group, ...change });
}

async function sessionsOf(chosen: IntakePolicy, ...updates: IncomingUpdate[]) {
  const results = await world.store.intake.storeUpdates(chosen, updates);
  return results.map(({ sessionId, reason }) => sessionId ?? reason);
}

test('a group is one session by default, and each of its topics another', async () => {
  const [ofAda, ofBob, inTopic] = await sessionsOf(
    policy(),
    said(ada),
    said(bob),
    said(bob, { chat: topic }),
  );

  expect(ofBob).toBe(ofAda);
  expect(inTopic).not.toBe(ofAda);
});

test('two bots in one group, and one id of two platforms, have sessions of their own', async () => {
  const second = { platform: 'telegram', id: '901' } as const;
  const elsewhere = { platform: 'discord', id: '900' } as const;

  const [ofFirst] = await sessionsOf(policy(), said(ada));
  const [ofSecond] = await sessionsOf(policy({ account: second }), said(ada));
  const [ofDiscord] = await sessionsOf(policy({ account: elsewhere }), said(ada));
  const [ofFirstAgain] = await sessionsOf(policy(), said(ada));

  expect(new Set([ofFirst, ofSecond, ofDiscord]).size).toBe(3);
  expect(ofFirstAgain).toBe(ofFirst);
});

test('with group_sessions_per_user everybody has a session of their own there, and topics stay shared', async () => {
  const [ofAda, ofBob] = await sessionsOf(perUser(), said(ada), said(bob));
  const [ofAdaAgain, adaInTopic, bobInTopic, direct] = await sessionsOf(
    perUser(),
    said(ada),
    said(ada, { chat: topic }),
    said(bob, { chat: topic }),
    said(ada, { chat: { chatId: '42', threadId: '', kind: 'direct' } }),
  );

  expect(ofBob).not.toBe(ofAda);
  expect(ofAdaAgain).toBe(ofAda);
  expect(bobInTopic).toBe(adaInTopic);
  expect(new Set([ofAda, ofBob, adaInTopic, direct]).size).toBe(4);
  expect(await world.sql('SELECT count(*)::int AS chats FROM chats')).toEqual([{ chats: 3 }]);
});

test('with thread_sessions_per_user so it is in topics, and a single chat can have it otherwise', async () => {
  const threads = { sessionsPerUser: { groups: false, threads: true } };
  const [adaInTopic, bobInTopic] = await sessionsOf(
    policy(threads),
    said(ada, { chat: topic }),
    said(bob, { chat: topic }),
  );
  const chats = {
    '-1001': {
      instructions: null,
      allowed_users: null,
      require_mention: null,
      sessions_per_user: false,
      ignored: false,
    },
  };
  const [adasOwn, bobsOwn] = await sessionsOf(perUser({ chats }), said(ada), said(bob));

  expect(bobInTopic).not.toBe(adaInTopic);
  expect(bobsOwn).toBe(adasOwn);
});

test('many first messages of one person at once make one session of theirs', async () => {
  const results = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => sessionsOf(perUser(), said(ada), said(bob))),
  );

  expect(new Set(results.map(([ofAda]) => ofAda)).size).toBe(1);
  expect(new Set(results.map(([, ofBob]) => ofBob)).size).toBe(1);
});

test('/reset of one person gives that person another session and leaves those of the others', async () => {
  const [ofAda, ofBob] = await sessionsOf(perUser(), said(ada), said(bob));
  const lease = await claimed(world.store, ofAda!);
  const turn = await nextTurn(world.store, lease);

  const newId = await world.store.turns.resetSession(lease, turn.chat, () => []);
  const [adaAfter, bobAfter] = await sessionsOf(perUser(), said(ada), said(bob));

  expect([adaAfter, bobAfter]).toEqual([newId, ofBob]);
});

test('a group that became a supergroup keeps the sessions of its people', async () => {
  const before = await sessionsOf(perUser(), said(ada), said(bob));
  const moved: IncomingUpdate = {
    updateKey: 'moved',
    raw: Buffer.from('{}'),
    content: { kind: 'chat_migrated', fromChatId: '-1001', toChatId: '-2002' },
  };
  await world.store.intake.storeUpdates(perUser(), [moved]);

  const chat = { ...group, chatId: '-2002' };
  expect(await sessionsOf(perUser(), said(ada, { chat }), said(bob, { chat }))).toEqual(before);
});

test('an edit and a deletion find the session of whoever wrote the message', async () => {
  const written = said(bob);
  const [, ofBob] = await sessionsOf(perUser(), said(ada), written);
  const { messageId } = written.content as { messageId: string };
  const edit: IncomingUpdate = {
    updateKey: 'an edit',
    raw: Buffer.from('{}'),
    content: { kind: 'edit', chat: group, sender: bob, messageId, text: 'better', editedAt: new Date(9) },
  };
  const deleted: IncomingUpdate = {
    updateKey: 'a deletion',
    raw: Buffer.from('{}'),
    content: { kind: 'deleted', chatId: group.chatId, messageIds: [messageId] },
  };

  expect(await sessionsOf(perUser(), edit)).toEqual([ofBob]);
  expect(
    await world.sql(`SELECT content->'message'->>'text' AS text FROM mailbox WHERE session_id = $1`, [ofBob]),
  ).toEqual([{ text: 'better' }]);
  expect(await sessionsOf(perUser(), deleted)).toEqual([ofBob]);
});

test('what is said to others waits for the next answer there, the newest of it, and starts none', async () => {
  const listening = policy({ keepUnaddressed: 2 });
  const heard = () => said(bob, { addressed: false });
  const [sessionId] = await sessionsOf(listening, heard(), heard(), heard());
  const lease = await claimed(world.store, sessionId!);
  expect(await world.store.turns.nextWork(lease, nextOptions())).toEqual({ kind: 'none' });

  await sessionsOf(listening, said(ada));
  const turn = await nextTurn(world.store, lease);

  expect(turn.mailbox.map(({ content }) => content.kind)).toEqual(['overheard', 'overheard', 'message']);
});

test('without the option, of people who may not talk to the bot, and of bots nothing is overheard', async () => {
  const listening = policy({ keepUnaddressed: 5, allowBots: 'all' });
  const mallory: Sender = { id: '666', name: 'M', isBot: false };
  const unheard = { addressed: false };

  expect(await sessionsOf(policy(), said(bob, unheard))).toEqual(['not_addressed']);
  expect(await sessionsOf(listening, said(mallory, unheard), said(otherBot, unheard))).toEqual([
    'not_addressed',
    'not_addressed',
  ]);
  expect(await world.sql('SELECT 1 FROM mailbox')).toEqual([]);
});

test('two bots in a group stop within twenty events, until a person speaks', async () => {
  const open = policy({
    allowBots: 'all',
    requireMention: false,
    lists: { allowAll: false, allowedUsers: ['42', '77'], allowedChats: [] },
  });
  await sessionsOf(open, said(ada));
  const taken: boolean[] = [];
  // The other bot answers each of our answers: a message of it and one of ours are two events.
  for (let events = 0; events < 40; events += 2) {
    const [result] = await world.store.intake.storeUpdates(open, [said(otherBot)]);
    taken.push(result?.result === 'stored');
  }

  expect(taken.filter(Boolean)).toHaveLength(10);
  expect(taken.slice(10).every((was) => !was)).toBe(true);
  await sessionsOf(open, said(ada));
  const [again] = await world.store.intake.storeUpdates(open, [said(otherBot)]);
  expect(again?.result).toBe('stored');
});

test('a flood of a bot in one batch is stopped in that batch, and what the bot said itself never comes in', async () => {
  const open = policy({
    allowBots: 'all',
    requireMention: false,
    lists: { allowAll: true, allowedUsers: [], allowedChats: [] },
  });
  const self: Sender = { id: '900', name: 'Palimpsest', isBot: true };

  const results = await world.store.intake.storeUpdates(open, [
    ...Array.from({ length: 25 }, () => said(otherBot)),
    said(self),
  ]);

  expect(results.filter(({ result }) => result === 'stored')).toHaveLength(10);
  expect(results.at(-2)).toMatchObject({ result: 'ignored', reason: 'bot_loop' });
  expect(results.at(-1)).toMatchObject({ result: 'ignored', reason: 'own_message' });
});

function nextOptions(): Parameters<TestStore['store']['turns']['nextWork']>[1] {
  const lists = policy().lists;
  return {
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect: true,
    lists: { telegram: lists, discord: lists, local: lists },
    render: () => {
      throw new Error('nothing is to be read');
    },
  };
}
