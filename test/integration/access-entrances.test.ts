/** Every way in passes the one authoriser: whoever is turned away leaves no work behind and hears nothing. */
import fc from 'fast-check';
import type { IncomingContent, IncomingUpdate, IntakePolicy, Sender } from '@palimpsest/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { normaliseDispatch } from '../../packages/platforms/src/discord/normalise-dispatch.ts';
import { normaliseUpdate } from '../../packages/platforms/src/telegram/normalise-update.ts';
import { ada, arrive, claimed, group, messageUpdate, next, policy } from '../support/intake.ts';
import { openTestStore, type TestStore } from '../support/open-test-store.ts';

let world: TestStore;
beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() =>
  world.sql(
    'TRUNCATE sessions, chats, inbox, identities, people, access_grants, mailbox, signals, outbox, pairings CASCADE',
  ),
);

let key = 0;
function update(content: IncomingContent): IncomingUpdate {
  key += 1;
  return { updateKey: `key-${key}`, raw: Buffer.from('{}'), content };
}

const telegramBot = { id: '900', username: 'palimpsest_bot' };
const discordBot = { id: '900', name: 'palimpsest' };

/** What somebody can do on a platform, as the adapters hand it to intake. */
const entrances: Record<string, (sender: Sender, where: 'direct' | 'group') => IncomingUpdate> = {
  message: (sender, where) => spoken(sender, where, 'hello'),
  command: (sender, where) => spoken(sender, where, '/new', { command: { name: 'new', argument: '' } }),
  signal: (sender, where) => spoken(sender, where, '/stop', { command: { name: 'stop', argument: '' } }),
  link: (sender, where) => spoken(sender, where, '/link', { command: { name: 'link', argument: '' } }),
  slash: (sender, where) =>
    spoken(sender, where, '/usage', {
      command: { name: 'usage', argument: '' },
      interaction: { id: '7', applicationId: '8', token: 'secret', expiresAtMs: 9 },
    }),
  overheard: (sender, where) => spoken(sender, where, 'lunch?', { addressed: false }),
  edit: (sender, where) =>
    update({
      kind: 'edit',
      chat: placeOf(sender, where),
      sender,
      messageId: String((key += 1)),
      text: 'changed',
      editedAt: new Date(0),
    }),
  stopButton: (sender, where) => {
    const chat = {
      id: Number(placeOf(sender, where).chatId),
      type: where === 'direct' ? 'private' : 'group',
    };
    return telegram({ stopped_message_generation: { chat, draft_id: (key += 1) } });
  },
  callback: (sender) => telegram({ callback_query: { id: '1', from: userOf(sender), data: 'x' } }),
  reaction: (sender) =>
    telegram({ message_reaction: { chat: { id: 1, type: 'private' }, user: userOf(sender) } }),
  guest: (sender) => telegram({ guest_message: { message_id: 1, from: userOf(sender), text: 'hello' } }),
  business: (sender) =>
    telegram({ business_message: { message_id: 1, from: userOf(sender), text: 'hello' } }),
  button: (sender) =>
    normaliseDispatch(
      'INTERACTION_CREATE',
      { id: String((key += 1)), type: 3, channel_id: '5', user: { id: sender.id, username: 'm' } },
      discordBot,
    ),
  discordReaction: (sender) =>
    normaliseDispatch(
      'MESSAGE_REACTION_ADD',
      { user_id: sender.id, channel_id: '5', at: (key += 1) },
      discordBot,
    ),
};

function spoken(sender: Sender, where: 'direct' | 'group', text: string, wish: object = {}): IncomingUpdate {
  key += 1;
  return messageUpdate(key, text, { updateKey: `key-${key}`, sender, chat: placeOf(sender, where), ...wish });
}

function placeOf(sender: Sender, where: 'direct' | 'group') {
  return where === 'group' ? group : ({ chatId: sender.id, threadId: '', kind: 'direct' } as const);
}

function telegram(body: object): IncomingUpdate {
  key += 1;
  return normaliseUpdate({ update_id: key, ...body }, Buffer.from('{}'), telegramBot);
}

function userOf({ id, isBot }: Sender) {
  return { id: Number(id), is_bot: isBot, first_name: 'M' };
}

/** Rows of everything that somebody could see or that costs something. */
async function traces(): Promise<Record<string, unknown>> {
  const [row] = await world.sql(`SELECT
    (SELECT count(*)::int FROM mailbox) AS mailbox, (SELECT count(*)::int FROM outbox) AS outbox,
    (SELECT count(*)::int FROM signals) AS signals, (SELECT count(*)::int FROM sessions) AS sessions,
    (SELECT count(*)::int FROM chats) AS chats, (SELECT count(*)::int FROM identities) AS identities,
    (SELECT count(*)::int FROM pairings) AS codes, (SELECT count(*)::int FROM inbox WHERE raw IS NOT NULL) AS texts`);
  return row!;
}

const nothing = {
  mailbox: 0,
  outbox: 0,
  signals: 0,
  sessions: 0,
  chats: 0,
  identities: 0,
  codes: 0,
  texts: 0,
};

const mallory: Sender = { id: '666', name: 'Ada', isBot: false };
const bot: Sender = { id: '667', name: 'a bot', isBot: true };

test('whoever is turned away, at whatever entrance, leaves no row in the mailbox and gets no reply', async () => {
  const lists = fc.constantFrom<Partial<IntakePolicy>>(
    {},
    { requireMention: false },
    { keepUnaddressed: 20 },
    { allowBots: 'all', requireMention: false },
    { sessionsPerUser: { groups: true, threads: true } },
    { lists: { allowAll: true, allowedUsers: [], allowedChats: [] } },
    { lists: { allowAll: false, allowedUsers: ['42'], groupUsers: ['42'], allowedChats: ['-7'] } },
  );
  const step = fc.record({
    entrance: fc.constantFrom(...Object.keys(entrances)),
    sender: fc.constantFrom(mallory, bot),
    where: fc.constantFrom('direct' as const, 'group' as const),
  });

  await fc.assert(
    fc.asyncProperty(lists, fc.array(step, { minLength: 1, maxLength: 8 }), async (change, steps) => {
      // Where anybody may come in, it is the operator who denied these two.
      for (const { id } of [mallory, bot])
        if (change.lists?.allowAll)
          await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id, access: 'deny' });
      const updates = steps.map(({ entrance, sender, where }) => entrances[entrance]!(sender, where));

      const results = await world.store.intake.storeUpdates(policy(change), updates);

      expect(results.filter(({ result }) => result === 'stored')).toEqual([]);
      expect(await traces()).toEqual(nothing);
      await world.sql('TRUNCATE access_grants, inbox');
    }),
    { numRuns: 40 },
  );
});

test('a name on the list lets nobody in whose id is another', async () => {
  const named = policy({ lists: { allowAll: false, allowedUsers: ['42', 'Ada'], allowedChats: [] } });

  const results = await world.store.intake.storeUpdates(named, [entrances.message!(mallory, 'direct')]);

  expect(results).toMatchObject([{ result: 'denied', reason: 'not_allowlisted' }]);
});

test('a right that is taken away while a message waits is gone before the turn', async () => {
  const sessionId = await arrive(world.store, messageUpdate(1, 'hello'), messageUpdate(2, 'are you there?'));
  await world.store.operators.setAccess({ platform: 'telegram', kind: 'user', id: ada.id, access: 'deny' });

  const lease = await claimed(world.store, sessionId);
  const work = await next(world.store, lease);

  expect(work).toEqual({ kind: 'none' });
  expect(await world.sql('SELECT DISTINCT state, reason FROM mailbox')).toEqual([
    { state: 'withdrawn', reason: 'denied_by_operator' },
  ]);
});

test('G22 whoever was let in with a code for direct messages has no right in a group, at whatever entrance', async () => {
  const unlisted = policy({
    lists: { allowAll: false, allowedUsers: [], allowedChats: [group.chatId] },
    requireMention: false,
    keepUnaddressed: 20,
  });
  await world.sql(
    `INSERT INTO access_grants (platform, kind, id, access) VALUES ('telegram', 'user', '666', 'paired')`,
  );
  const inGroup = Object.values(entrances).map((make) => make(mallory, 'group'));

  const refused = await world.store.intake.storeUpdates(unlisted, inGroup);
  const left = await traces();
  const direct = await world.store.intake.storeUpdates(unlisted, [entrances.message!(mallory, 'direct')]);

  expect(refused.filter(({ result }) => result === 'stored')).toEqual([]);
  expect(left).toEqual(nothing);
  expect(direct).toMatchObject([{ result: 'stored' }]);
});

test('whoever was let in with a code and is on the list later is off with the list', async () => {
  await world.sql(
    `INSERT INTO access_grants (platform, kind, id, access) VALUES ('telegram', 'user', '42', 'paired'), ('telegram', 'user', '43', 'paired')`,
  );

  expect(await world.store.access.endPairings('telegram', ['42'])).toBe(1);
  const unlisted = policy({ lists: { allowAll: false, allowedUsers: [], allowedChats: [] } });
  const results = await world.store.intake.storeUpdates(unlisted, [
    messageUpdate(1, 'hello'),
    messageUpdate(2, 'hello', {
      sender: { ...ada, id: '43' },
      chat: { chatId: '43', threadId: '', kind: 'direct' },
    }),
  ]);

  expect(results.map(({ result }) => result)).toEqual(['denied', 'stored']);
});
