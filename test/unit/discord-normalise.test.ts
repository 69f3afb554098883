/** Events of Discord's gateway as updates of ours: recorded frames, and the cases they do not show. */
import { normaliseDispatch, storedDispatches } from '@palimpsest/platforms';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sharedPath } from '../support/shared.ts';

const recorded = sharedPath('updates/discord');
const bot = { id: '1027672206240022830', name: 'palimpsest' };

/** A guild message as the gateway sends it, without the fields nobody reads. */
function guildMessage(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: '1045464488192410464',
    type: 0,
    channel_id: '1023383869883602982',
    guild_id: '1020862408390980824',
    author: { id: '1026115847244793211', username: 'ada', global_name: 'Ada L.' },
    member: { nick: null },
    content: 'hello',
    timestamp: '2026-07-14T13:02:12.171000+00:00',
    edited_timestamp: null,
    mentions: [],
    attachments: [],
    ...changes,
  };
}

function directMessage(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { guild_id: _guild, member: _member, ...message } = guildMessage(changes);
  return { ...message, channel_type: 1 };
}

const contentOf = (data: unknown, type = 'MESSAGE_CREATE') => normaliseDispatch(type, data, bot).content;

describe.skipIf(recorded.missing)('recorded frames', () => {
  interface Frame {
    t?: string | null;
    d?: unknown;
  }

  /** A file of a REST answer holds the message itself. */
  function update(file: string) {
    const frame = JSON.parse(readFileSync(`${recorded.path}/d4j-${file}.json`, 'utf8')) as Frame;
    return 't' in frame
      ? normaliseDispatch(frame.t ?? 'no type', frame.d, bot)
      : normaliseDispatch('MESSAGE_CREATE', frame, bot);
  }

  test('no recorded frame makes the normaliser throw or fail to read it', () => {
    const files = readdirSync(recorded.path).map((name) => name.slice('d4j-'.length, -'.json'.length));

    const unparsed = files.filter((file) => update(file).content.kind === 'unparsed');

    expect(files).toHaveLength(49);
    expect(unparsed).toEqual([]);
  });

  test('a plain guild message becomes a message that is not addressed to the bot', () => {
    const { updateKey, content } = update('MessageCreate.Type0');

    expect(updateKey).toBe('message:1045464488192410464');
    expect(content).toEqual({
      kind: 'message',
      chat: { chatId: '1023383869883602982', threadId: '', kind: 'group' },
      sender: { id: '1023524746040969221', name: 'gus_486', isBot: false },
      messageId: '1045464488192410464',
      text: '.ping',
      sentAt: new Date('2020-07-14T13:02:12.171Z'),
      addressed: false,
      replyTo: undefined,
      command: undefined,
    });
  });

  test('a reply to the bot is addressed and carries what it answers', () => {
    expect(update('MessageCreate.Type19').content).toMatchObject({
      kind: 'message',
      addressed: true,
      replyTo: { messageId: '1050575468295735254', text: '', senderName: 'hal_357' },
    });
  });

  test('a message of a REST answer reads like one of the gateway', () => {
    expect(update('Message.Reply').content).toMatchObject({
      kind: 'message',
      text: 'cool.',
      messageId: '1013871459187166851',
    });
  });

  test('a slash command is a message with a command, and with what is needed to answer it', () => {
    expect(update('InteractionCreate.SubCommandGroup').content).toMatchObject({
      kind: 'message',
      chat: { chatId: '1048786049345930394', threadId: '', kind: 'group' },
      sender: { id: '1018507313884742747', name: 'fay_105', isBot: false },
      messageId: '1030832662629781201',
      command: { name: 'payload', argument: '' },
      addressed: true,
      interaction: {
        id: '1030832662629781201',
        applicationId: '1021725151658583358',
        token: 'scrubbed-221129458735',
      },
    });
  });

  test('a forward says what it passes on, and is nobody’s command', () => {
    const { content } = update('CreateMessageWithForwardResponse');
    expect(content).toMatchObject({
      kind: 'message',
      text: expect.stringMatching(/^What is Lorem Ipsum\?\n/),
      series: 'forwards',
      sender: { isBot: true },
    });
    expect((content as { command?: unknown }).command).toBeUndefined();
  });

  test.each([
    ['CreateMessageResponse', 'own_message', 'message'],
    ['Message', 'no_text', 'message without text'],
    ['MessageUpdate.Embeds', 'unsupported_kind', 'MESSAGE_UPDATE'],
    ['MessageUpdate.NoEmbeds', 'unsupported_kind', 'MESSAGE_UPDATE'],
    ['MessageReactionAdd', 'unsupported_kind', 'MESSAGE_REACTION_ADD'],
    ['GuildCreate', 'unsupported_kind', 'GUILD_CREATE'],
    ['Ready', 'unsupported_kind', 'READY'],
    ['PresenceUpdate.Activities', 'unsupported_kind', 'PRESENCE_UPDATE'],
  ])('%s is ignored as %s', (file, reason, what) => {
    expect(update(file).content).toMatchObject({ kind: 'ignored', reason, what });
  });
});

test('a deletion names messages and their channel, one or many', () => {
  const one = normaliseDispatch('MESSAGE_DELETE', { id: '1', channel_id: '2', guild_id: '3' }, bot);
  const many = normaliseDispatch('MESSAGE_DELETE_BULK', { ids: ['1', '4'], channel_id: '2' }, bot);
  const broken = normaliseDispatch('MESSAGE_DELETE', { channel_id: '2' }, bot);

  expect(one.content).toEqual({ kind: 'deleted', chatId: '2', messageIds: ['1'] });
  expect(many.content).toEqual({ kind: 'deleted', chatId: '2', messageIds: ['1', '4'] });
  expect(broken.content).toMatchObject({ kind: 'unparsed' });
});

test('a direct message is addressed without a mention', () => {
  expect(contentOf(directMessage())).toMatchObject({
    kind: 'message',
    chat: { chatId: '1023383869883602982', threadId: '', kind: 'direct' },
    sender: { id: '1026115847244793211', name: 'Ada L.', isBot: false },
    addressed: true,
  });
});

test('a direct message without channel_type is one all the same', () => {
  const { channel_type: _type, ...message } = directMessage();

  expect(contentOf(message)).toMatchObject({ kind: 'message', chat: { kind: 'direct' }, addressed: true });
});

test('a mention addresses the bot and stays in the text, byte for byte', () => {
  const text = '  <@1027672206240022830> what is\n\tnew? ';

  expect(contentOf(guildMessage({ content: text }))).toMatchObject({ addressed: true, text });
});

test('a mention of somebody else does not address the bot', () => {
  const mentions = [{ id: '1015298820531500599', username: 'bob' }];

  expect(contentOf(guildMessage({ content: '<@1015298820531500599> hi @everyone', mentions }))).toMatchObject(
    { addressed: false },
  );
});

test.each([
  ['<@1027672206240022830> /compact the ring', { name: 'compact', argument: 'the ring' }],
  ['<@!1027672206240022830>/status', { name: 'status', argument: '' }],
  ['/stop', { name: 'stop', argument: '' }],
])('%s is a command', (content, command) => {
  expect(contentOf(guildMessage({ content }))).toMatchObject({ kind: 'message', text: content, command });
});

test('a command without a mention in a server is not addressed to the bot', () => {
  expect(contentOf(guildMessage({ content: '/stop' }))).toMatchObject({ addressed: false });
});

test('the name shown in the server is the name of the sender', () => {
  expect(contentOf(guildMessage({ member: { nick: 'Countess' } }))).toMatchObject({
    sender: { name: 'Countess' },
  });
});

test('a text near the limit of the clients may go on in the next message', () => {
  expect(contentOf(guildMessage({ content: 'x'.repeat(1_899) }))).not.toHaveProperty('series');
  expect(contentOf(guildMessage({ content: 'x'.repeat(1_900) }))).toMatchObject({ series: 'text' });
});

test.each([
  [
    'own messages',
    { author: { id: '1027672206240022830', username: 'palimpsest', bot: true } },
    'own_message',
    'message',
  ],
  ['webhooks', { webhook_id: '1068564666144076798' }, 'bot_author', 'webhook message'],
  ['joins', { type: 7, content: '' }, 'unsupported_kind', 'message type 7'],
  [
    'attachments without a link',
    { content: '', attachments: [{ id: '1' }] },
    'no_text',
    'message without text',
  ],
  ['forwards', { content: '', message_snapshots: [{ message: {} }] }, 'no_text', 'forward'],
])('%s are ignored', (_who, changes, reason, what) => {
  expect(contentOf(guildMessage(changes))).toMatchObject({
    kind: 'ignored',
    reason,
    what,
    chat: { chatId: '1023383869883602982' },
  });
});

test('a message of another bot says so, and one in a thread too', () => {
  const author = { id: '1068564666144076798', username: 'b', bot: true };

  expect(contentOf(guildMessage({ author, channel_type: 11 }))).toMatchObject({
    kind: 'message',
    sender: { id: '1068564666144076798', isBot: true },
    chat: { isThread: true },
  });
});

test('a changed text is an edit under a key of message and time', () => {
  const data = guildMessage({ content: 'better', edited_timestamp: '2026-07-14T13:05:00.000000+00:00' });

  const { updateKey, content } = normaliseDispatch('MESSAGE_UPDATE', data, bot);

  expect(updateKey).toBe('edit:1045464488192410464:2026-07-14T13:05:00.000000+00:00');
  expect(content).toMatchObject({
    kind: 'edit',
    messageId: '1045464488192410464',
    text: 'better',
    editedAt: new Date('2026-07-14T13:05:00Z'),
  });
});

test('a link preview is no edit', () => {
  const data = guildMessage({ embeds: [{ type: 'link' }] });

  expect(contentOf(data, 'MESSAGE_UPDATE')).toMatchObject({ kind: 'ignored', reason: 'unsupported_kind' });
});

test.each([
  ['nothing', null, 'MESSAGE_CREATE: the event has no object'],
  ['a list', [], 'MESSAGE_CREATE: the event has no object'],
  [
    'no author',
    guildMessage({ author: undefined }),
    'MESSAGE_CREATE: field author is missing, not an object',
  ],
  [
    'a number for a channel',
    guildMessage({ channel_id: 7 }),
    'MESSAGE_CREATE: field channel_id is a number, not a text',
  ],
  ['a list for a text', guildMessage({ content: [] }), 'MESSAGE_CREATE: field content is a list, not a text'],
  ['no time', guildMessage({ timestamp: 'soon' }), 'MESSAGE_CREATE: field timestamp is not a time'],
])('%s is kept as unparsed and never quoted', (_what, data, problem) => {
  expect(contentOf(data)).toEqual({ kind: 'unparsed', problem });
});

test('the raw form is the JSON of the event', () => {
  expect(
    new TextDecoder().decode(normaliseDispatch('MESSAGE_DELETE', { id: '1', channel_id: '2' }, bot).raw),
  ).toBe('{"id":"1","channel_id":"2"}');
});

test('events that come in floods are not stored', () => {
  const floods = [
    'PRESENCE_UPDATE',
    'TYPING_START',
    'GUILD_CREATE',
    'GUILD_MEMBER_UPDATE',
    'VOICE_STATE_UPDATE',
  ];

  expect(floods.filter((type) => storedDispatches.has(type))).toEqual([]);
});
