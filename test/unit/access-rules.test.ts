/** Who may talk to the bot, what in a group is for it, and who may run which command: the rules without a database. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accessListsOf,
  adminsOf,
  decideAccess,
  groupRulesOf,
  isForUsers,
  mostBotMessages,
  offersPairing,
  parseConfig,
  passGate,
  traceAccess,
  type AccessGrants,
  type AccessLists,
  type ChatPlace,
} from '@palimpsest/core';

const nothing: AccessGrants = { user: null, chat: null };
const direct = { chatId: '42', threadId: '', kind: 'direct' } as const;
const group = { chatId: '-1001', threadId: '', kind: 'group' } as const;

function decide(
  lists: Partial<AccessLists>,
  asked: { id?: string; place?: ChatPlace; grants?: Partial<AccessGrants> } = {},
) {
  const { id = '42', place = direct, grants = {} } = asked;
  const decision = decideAccess({
    platform: 'telegram',
    sender: { id },
    place,
    lists: { allowAll: false, allowedUsers: [], allowedChats: [], ...lists },
    grants: { ...nothing, ...grants },
  });
  return decision.kind === 'allow' ? 'allow' : decision.reason;
}

/** The platforms' sections of a config. */
function telegram(yaml: string) {
  return parseConfig(`platforms: {telegram: ${yaml}}`, 'test');
}

describe('who may talk to the bot', () => {
  test('nobody, as long as nobody is named', () => {
    expect(decide({})).toBe('not_allowlisted');
    expect(decide({}, { place: group })).toBe('not_allowlisted');
  });

  test('whoever was let in with a code may write directly and has no rights in groups', () => {
    const grants = { user: 'paired' } as const;

    expect(decide({}, { grants })).toBe('allow');
    expect(decide({}, { grants, place: group })).toBe('not_allowlisted');
    expect(decide({ allowedChats: ['-1001'] }, { grants, place: group })).toBe('not_allowlisted');
    expect(decide({}, { grants: { ...grants, chat: 'allow' }, place: group })).toBe('not_allowlisted');
  });

  test('groups can have a list of their own, and an empty one says plainly that nobody speaks there', () => {
    const lists = { allowedUsers: ['42'], groupUsers: ['43'] };

    expect(decide(lists)).toBe('allow');
    expect(decide(lists, { place: group })).toBe('not_allowlisted');
    expect(decide(lists, { place: group, id: '43' })).toBe('allow');
    expect(decide(lists, { id: '43' })).toBe('not_allowlisted');
    expect(decide({ allowedUsers: ['42'], groupUsers: [] }, { place: group })).toBe('not_allowlisted');
    expect(decide({ allowedUsers: ['42'], groupUsers: null }, { place: group })).toBe('allow');
  });

  test('a chat can have a list of its own, and a thread in it another', () => {
    const { telegram: section } = telegram(
      `{allow_all: true, chats: {"-1001": {allowed_users: [43]}, "-1001/7": {allowed_users: [44]}}}`,
    ).platforms;
    const lists = { allowAll: true, chats: section.chats };
    const topic = { ...group, threadId: '7' };

    expect(decide(lists, { place: group })).toBe('not_allowlisted');
    expect(decide(lists, { place: group, id: '43' })).toBe('allow');
    expect(decide(lists, { place: topic, id: '43' })).toBe('not_allowlisted');
    expect(decide(lists, { place: topic, id: '44' })).toBe('allow');
    expect(decide(lists, { place: { ...group, chatId: '-9' } })).toBe('allow');
  });

  test('what an operator denied is denied, whatever the lists say', () => {
    const lists = { allowAll: true, allowedUsers: ['42'] };

    expect(decide(lists, { grants: { user: 'deny' } })).toBe('denied_by_operator');
    expect(decide(lists, { place: group, grants: { chat: 'deny' } })).toBe('denied_by_operator');
  });

  test('names are never compared', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^\d{1,12}$/), (name, id) => {
        const lists = { allowedUsers: [name].filter((one) => one !== id) };
        expect(decide(lists, { id })).toBe('not_allowlisted');
      }),
    );
    expect(() => telegram('{allowed_users: ["ada"]}')).toThrow('numeric ids; names are never compared');
  });

  test('the steps of a decision say what was looked at, in order', () => {
    const { decision, steps } = traceAccess({
      platform: 'telegram',
      sender: { id: '42' },
      place: group,
      lists: { allowAll: false, allowedUsers: ['42'], allowedChats: ['-7'] },
      grants: nothing,
    });

    expect(decision).toEqual({ kind: 'deny', reason: 'chat_not_allowed' });
    expect(steps).toEqual([
      'no operator denied person 42 or chat -1001',
      'person 42 is in allowed_users',
      'allowed_chats names other groups, not -1001: no',
    ]);
  });

  test('codes are offered only where no list says who is meant', () => {
    expect(offersPairing(telegram('{}'), 'telegram')).toBe(true);
    expect(offersPairing(telegram('{allowed_users: [42]}'), 'telegram')).toBe(false);
    expect(offersPairing(telegram('{allowed_users: [42], pairing: on}'), 'telegram')).toBe(true);
    expect(offersPairing(telegram('{pairing: off}'), 'telegram')).toBe(false);
    expect(offersPairing(telegram('{allow_all: true, pairing: on}'), 'telegram')).toBe(false);
    expect(offersPairing(telegram('{}'), 'local')).toBe(false);
  });
});

describe('what in a group is for the bot', () => {
  function pass(
    yaml: string,
    said: {
      text?: string;
      addressed?: boolean;
      place?: ChatPlace;
      isBot?: boolean;
      id?: string;
      botStreak?: number;
    },
  ) {
    const {
      text = 'hello',
      addressed = false,
      place = group,
      isBot = false,
      id = '42',
      botStreak = 0,
    } = said;
    const sender = { id, name: 'Ada', isBot };
    const rules = groupRulesOf(telegram(yaml), 'telegram');
    const gate = passGate(rules, { place, sender, text, addressed, botId: '900', botStreak });
    return gate.kind === 'ignore' ? gate.reason : gate.kind;
  }

  test('only what mentions or answers it, unless the config says otherwise for all groups or for one', () => {
    expect(pass('{}', {})).toBe('not_addressed');
    expect(pass('{}', { addressed: true })).toBe('take');
    expect(pass('{}', { place: direct })).toBe('take');
    expect(pass('{require_mention: false}', {})).toBe('take');
    expect(pass('{chats: {"-1001": {require_mention: false}}}', {})).toBe('take');
    expect(
      pass('{require_mention: false, chats: {"-1001/7": {require_mention: true}}}', {
        place: { ...group, threadId: '7' },
      }),
    ).toBe('not_addressed');
  });

  test('a text that matches a pattern of the operator mentions it too', () => {
    const yaml = String.raw`{mention_patterns: ['\bpali(mpsest)?\b']}`;

    expect(pass(yaml, { text: 'Hey PALI, what is new?' })).toBe('take');
    expect(pass(yaml, { text: 'palisade' })).toBe('not_addressed');
    expect(() => telegram('{mention_patterns: ["("]}')).toThrow('a regular expression');
  });

  test('nothing is taken in a thread that the config ignores', () => {
    const topic = { ...group, threadId: '7' };

    expect(pass('{ignored_threads: [7]}', { place: topic, addressed: true })).toBe('ignored_chat');
    expect(pass('{ignored_threads: [-1001/7]}', { place: topic, addressed: true })).toBe('ignored_chat');
    expect(pass('{ignored_threads: [-1002/7]}', { place: topic, addressed: true })).toBe('take');
    expect(pass('{ignored_threads: [7]}', { addressed: true })).toBe('take');
    expect(pass('{chats: {"-1001": {ignored: true}}}', { place: topic, addressed: true })).toBe(
      'ignored_chat',
    );
  });

  test('other bots are not heard unless the config says so, and what the bot said itself never is', () => {
    expect(pass('{}', { isBot: true, addressed: true })).toBe('bot_author');
    expect(pass('{allow_bots: mentions}', { isBot: true, addressed: true })).toBe('take');
    expect(pass('{allow_bots: mentions, require_mention: false}', { isBot: true })).toBe('bot_author');
    expect(pass('{allow_bots: all, require_mention: false}', { isBot: true })).toBe('take');
    expect(pass('{allow_bots: all, require_mention: false}', { isBot: true, id: '900' })).toBe('own_message');
  });

  test('after ten messages of bots in a row, which with the answers are twenty events, a person must speak', () => {
    const said = { isBot: true, addressed: true };

    expect(mostBotMessages).toBe(10);
    expect(pass('{allow_bots: all}', { ...said, botStreak: 9 })).toBe('take');
    expect(pass('{allow_bots: all}', { ...said, botStreak: 10 })).toBe('bot_loop');
    expect(pass('{allow_bots: all}', { addressed: true, botStreak: 10 })).toBe('take');
  });
});

describe('who may run which command', () => {
  test('all but what is kept for admins, as long as nobody names what users may', () => {
    const config = parseConfig('commands: {admin_only: [model]}', 'test');

    expect(isForUsers(config, 'telegram', 'model')).toBe(false);
    expect(isForUsers(config, 'telegram', 'undo')).toBe(true);
  });

  test('a list of what users may run leaves /help and /whoami to everybody', () => {
    const config = telegram('{user_allowed_commands: [new]}');

    expect(
      ['new', 'help', 'whoami', 'start', 'stop', 'model', 'undo'].filter((name) =>
        isForUsers(config, 'telegram', name),
      ),
    ).toEqual(['new', 'help', 'whoami', 'start', 'stop']);
    expect(isForUsers(config, 'discord', 'undo')).toBe(true);
    expect(isForUsers(telegram('{user_allowed_commands: []}'), 'telegram', 'whoami')).toBe(true);
  });

  test('admins are named in tools.admins or in allow_admin_from, by platform; being one lets nobody in', () => {
    const config = parseConfig(
      'tools: {admins: {telegram: [1]}}\nplatforms: {telegram: {allow_admin_from: [2]}}',
      'test',
    );

    expect(adminsOf(config, 'telegram')).toEqual(['1', '2']);
    expect(adminsOf(config, 'discord')).toEqual([]);
    expect(decide(accessListsOf(config, 'telegram'), { id: '2' })).toBe('not_allowlisted');
  });
});

test('ids of Discord stay exact as keys of chats', () => {
  const config = parseConfig('platforms: {discord: {chats: {1023383869883602982: {ignored: true}}}}', 'test');

  expect(Object.keys(config.platforms.discord.chats)).toEqual(['1023383869883602982']);
});
