/** Updates of Telegram in our words: the shapes that went wrong elsewhere. */
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { normaliseRaw, normaliseUpdate } from '../../packages/platforms/src/telegram/normalise-update.ts';

const bot = { id: '7000000001', username: 'palimpsest_test_bot' };
const ada = { id: 42, is_bot: false, first_name: 'Ada', last_name: 'Byron', language_code: 'en' };
const direct = { id: 42, type: 'private', first_name: 'Ada', last_name: 'Byron' };
const group = { id: -1001, type: 'supergroup', title: 'Team' };
const self = { id: 7000000001, is_bot: true, first_name: 'Palimpsest', username: 'palimpsest_test_bot' };

/** The content of a message with usual fields where the test names none. */
function content(fields: object, kind = 'message') {
  const message = { message_id: 5, from: ada, chat: direct, date: 1_800_000_000, ...fields };
  return normaliseUpdate({ update_id: 9, [kind]: message }, new Uint8Array(), bot).content;
}

describe('what is neither text nor file', () => {
  const place = { latitude: 52.52, longitude: 13.405 };
  test.each([
    [{ location: place }, '(location: 52.52, 13.405)'],
    [
      { location: place, venue: { location: place, title: 'Pier', address: 'Harbour 1' } },
      '(venue: Pier, Harbour 1, 52.52, 13.405)',
    ],
    [
      { contact: { phone_number: '+49123', first_name: 'Bob', last_name: 'Jones' } },
      '(contact: Bob Jones, +49123)',
    ],
    [
      { poll: { question: 'When?', options: [{ text: 'nine' }, { text: 'ten' }] } },
      '(poll: When?, nine, ten)',
    ],
    [{ dice: { emoji: '🎲', value: 3 } }, '(throw: 🎲, 3)'],
  ])('%j is told to the model in words', (fields, text) => {
    expect(content(fields)).toMatchObject({ kind: 'message', text, addressed: true });
  });

  test('a live location that moves on is no correction', () => {
    expect(
      content({ location: { ...place, live_period: 900 }, edit_date: 1_800_000_060 }, 'edited_message'),
    ).toMatchObject({
      kind: 'ignored',
      reason: 'no_text',
      what: 'location',
    });
  });
});

describe('who wrote', () => {
  test('a message of another bot and one of our own are told apart', () => {
    expect(content({ text: 'hi', from: { ...ada, is_bot: true } })).toMatchObject({
      kind: 'message',
      sender: { id: '42', isBot: true },
    });
    expect(content({ text: 'hi', from: self })).toMatchObject({ kind: 'ignored', reason: 'own_message' });
  });

  test('an anonymous admin writes as the group, never as the account all of them share', () => {
    const from = { id: 1087968824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
    expect(
      content({ text: 'hi', chat: group, from, sender_chat: group, author_signature: 'Boss' }),
    ).toMatchObject({
      kind: 'message',
      sender: { id: '-1001', name: 'Boss', isBot: false },
    });
  });

  test('somebody who writes as a channel is that channel', () => {
    const from = { id: 136817688, is_bot: true, first_name: 'Channel', username: 'Channel_Bot' };
    const channel = { id: -1009, type: 'channel', title: 'News' };
    expect(content({ text: 'hi', chat: group, from, sender_chat: channel })).toMatchObject({
      kind: 'message',
      sender: { id: '-1009', name: 'News' },
    });
  });

  test('a post that Telegram copies from the linked channel is ignored', () => {
    expect(
      content({
        text: 'hi',
        chat: group,
        sender_chat: { id: -1009, title: 'News' },
        is_automatic_forward: true,
      }),
    ).toMatchObject({
      kind: 'ignored',
      reason: 'unsupported_kind',
      what: 'automatic forward',
    });
  });
});

describe('whom it is for', () => {
  const inGroup = (fields: object) => content({ chat: group, ...fields });

  test('plain talk in a group is not for us', () => {
    expect(inGroup({ text: 'good morning' })).toMatchObject({ kind: 'message', addressed: false });
  });

  test('a mention is, in any case of letters, and behind an emoji', () => {
    const text = '😀 @Palimpsest_Test_Bot hi';
    expect(inGroup({ text, entities: [{ type: 'mention', offset: 3, length: 20 }] })).toMatchObject({
      addressed: true,
    });
  });

  test('a name in plain words and the mention of a bot with a longer name are not', () => {
    expect(inGroup({ text: 'palimpsest_test_bot hi' })).toMatchObject({ addressed: false });
    const text = '@palimpsest_test_bot2';
    expect(inGroup({ text, entities: [{ type: 'mention', offset: 0, length: 21 }] })).toMatchObject({
      addressed: false,
    });
  });

  test('a mention in the words under a picture and one by account are', () => {
    const caption = 'see @palimpsest_test_bot';
    expect(
      inGroup({ caption, photo: [], caption_entities: [{ type: 'mention', offset: 4, length: 20 }] }),
    ).toMatchObject({ addressed: true });
    expect(
      inGroup({ text: 'you there', entities: [{ type: 'text_mention', offset: 0, length: 3, user: self }] }),
    ).toMatchObject({ addressed: true });
  });

  test('an answer to one of our messages is, and carries what it answers', () => {
    expect(
      inGroup({
        text: 'why?',
        reply_to_message: { message_id: 3, from: self, text: 'Because of the rain.' },
        quote: { text: 'the rain' },
      }),
    ).toMatchObject({
      addressed: true,
      replyTo: { messageId: '3', text: 'the rain', senderName: 'Palimpsest' },
    });
  });

  test.each(['reply_to_message', 'external_reply'])(
    'the file of a message it answers comes along (%s)',
    (field) => {
      const target = { message_id: 3, from: ada, document: { file_id: 'f-1', file_name: 'plan.pdf' } };

      expect(inGroup({ text: 'read it', [field]: target })).toMatchObject({
        media: [{ kind: 'document', reference: 'f-1', name: 'plan.pdf', isAnswered: true }],
      });
    },
  );

  test('parts of an album without words do not bring it again', () => {
    const reply_to_message = { message_id: 3, from: ada, photo: [{ file_id: 'p-1', width: 1, height: 1 }] };
    const photo = [{ file_id: 'p-2', width: 1, height: 1 }];

    expect(inGroup({ photo, media_group_id: '7', reply_to_message })).toMatchObject({
      media: [{ reference: 'p-2' }],
    });
  });

  test('a message in a topic that the bot opened is not', () => {
    const notice = { message_id: 33, from: self, forum_topic_created: { name: 'News' } };
    const found = inGroup({
      text: 'hi',
      is_topic_message: true,
      message_thread_id: 33,
      reply_to_message: notice,
    });
    expect(found).toMatchObject({ addressed: false, chat: { threadId: '33' } });
    expect(found).not.toHaveProperty('replyTo');
  });

  test('a reply chain of an ordinary group is no topic', () => {
    expect(
      inGroup({
        text: 'hi',
        message_thread_id: 12,
        reply_to_message: { message_id: 12, from: ada, text: 'x' },
      }),
    ).toMatchObject({ chat: { threadId: '' } });
  });
});

describe('commands', () => {
  test('with and without our name', () => {
    expect(content({ text: '/compact the plan' })).toMatchObject({
      command: { name: 'compact', argument: 'the plan' },
      addressed: true,
    });
    expect(content({ text: '/status@Palimpsest_Test_Bot', chat: group })).toMatchObject({
      command: { name: 'status', argument: '' },
      addressed: true,
    });
  });

  test('one for another bot is none', () => {
    const found = content({ text: '/status@other_bot', chat: group });
    expect(found).toMatchObject({ kind: 'message', addressed: false });
    expect(found).not.toHaveProperty('command');
  });

  test('a forwarded one and one under a picture are text', () => {
    expect(
      content({ text: '/reset', forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'x' } }),
    ).not.toHaveProperty('command');
    expect(content({ caption: '/reset', photo: [] })).not.toHaveProperty('command');
  });

  test('an edit runs none', () => {
    expect(content({ text: '/reset', edit_date: 1_800_000_060 }, 'edited_message')).not.toHaveProperty(
      'command',
    );
  });
});

describe('what may have a successor', () => {
  test('a piece of 4,000 units and a part of an album, but no command', () => {
    expect(content({ text: 'x'.repeat(3999) })).not.toHaveProperty('series');
    expect(content({ text: 'x'.repeat(4000) })).toMatchObject({ series: 'text' });
    expect(content({ caption: 'two', photo: [], media_group_id: '77' })).toMatchObject({
      series: 'album:77',
    });
    expect(content({ text: `/compact ${'x'.repeat(4000)}` })).not.toHaveProperty('series');
  });
});

describe('what cannot be read', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('bytes that are no JSON keep their bytes and get a key of their own', () => {
    const raw = bytes('{"update_id": 5, ');
    expect(normaliseRaw(raw, bot)).toEqual({
      updateKey: 'sha256-fbbd8263daa31760348edf7a7c048c322ba74663',
      raw,
      content: { kind: 'unparsed', problem: 'not JSON' },
    });
  });

  test.each([
    ['[]', 'no update_id'],
    ['{"message":{}}', 'no update_id'],
    ['{"update_id":"5"}', 'no update_id'],
    ['{"update_id":5,"message":7}', 'message is no object'],
    ['{"update_id":5,"message":{}}', 'a message without message_id'],
    ['{"update_id":5,"message":{"message_id":1,"text":"x"}}', 'a message without a chat'],
    ['{"update_id":5,"message":{"message_id":1,"chat":{"id":1,"type":"new"}}}', 'a message without a chat'],
    [
      '{"update_id":5,"message":{"message_id":1,"chat":{"id":1,"type":"private"},"text":"x"}}',
      'a message without a sender',
    ],
    [
      '{"update_id":5,"message":{"message_id":1,"chat":{"id":1,"type":"private"},"from":{"id":1},"text":"x"}}',
      'a message without a date',
    ],
  ])('%s is kept as unparsed', (text, problem) => {
    expect(normaliseRaw(bytes(text), bot).content).toEqual({ kind: 'unparsed', problem });
  });

  test('an update without content is ignored', () => {
    expect(normaliseRaw(bytes('{"update_id":5}'), bot)).toMatchObject({
      updateKey: '5',
      content: { kind: 'ignored', what: 'empty' },
    });
  });

  test('no JSON of any shape throws', () => {
    const fields = fc.record(
      {
        message_id: fc.json(),
        chat: fc.json(),
        from: fc.json(),
        text: fc.json(),
        entities: fc.json(),
        reply_to_message: fc.json(),
        date: fc.json(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (texts) => {
        const parsed = Object.fromEntries(
          Object.entries(texts).map(([key, text]) => [key, JSON.parse(text) as unknown]),
        );
        expect(content(parsed).kind).toMatch(/^(message|ignored|unparsed)$/);
      }),
    );
  });
});
