/** Every recorded update of Telegram is normalised, or marked with the reason why it is not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { normaliseRaw } from '../../packages/platforms/src/telegram/normalise-update.ts';
import { sharedPath } from '../support/shared.ts';

const bot = { id: '7000000001', username: 'palimpsest_test_bot' };
const updates = sharedPath('updates/telegram');

describe.skipIf(updates.missing)('recorded updates', () => {
  const read = (name: string) => normaliseRaw(readFileSync(join(updates.path, `nutgram-${name}.json`)), bot);
  const files = updates.missing ? [] : readdirSync(updates.path);
  /** Everything of the recordings that is a text, a file or a thing somebody may have meant for us. */
  const texts = new Set(
    (
      'command command_message command_tag_valid command_tag_wrong command_with_parameters entities food message message_different_topic ' +
      'message_different_topic_reply message_forward_origin message_general_topic message_general_topic_reply message_topic not_command photo text ' +
      'animation audio document sticker video video_note voice contact dice location message_poll venue'
    ).split(' '),
  );
  const others = new Map([
    ['edited_message', 'edit'],
    ['migrate_to_chat_id', 'chat_migrated'],
    ['migrate_from_chat_id', 'chat_migrated'],
  ]);

  test('there are a hundred of them', () => {
    expect(files.length).toBeGreaterThan(99);
  });

  test.each(files)('%s is read and lands where it belongs', (file) => {
    const name = file.replace(/^nutgram-(.*)\.json$/, '$1');
    const raw = readFileSync(join(updates.path, file));
    const { updateKey, content: found, raw: kept } = normaliseRaw(raw, bot);

    expect(found.kind).toBe(texts.has(name) ? 'message' : (others.get(name) ?? 'ignored'));
    expect(updateKey).toMatch(/^\d+$/);
    expect(kept).toBe(raw);
  });

  test('a text in a private chat', () => {
    expect(read('text')).toMatchObject({
      updateKey: '123456789',
      content: {
        kind: 'message',
        chat: { chatId: '1354290437', threadId: '', kind: 'direct', title: 'Cyd Fay' },
        sender: { id: '1354290437', name: 'Cyd Fay', isBot: false, language: 'it' },
        messageId: '123456',
        text: 'aaaaaaaaaa',
        sentAt: new Date('2021-09-16T19:01:44.000Z'),
        addressed: true,
      },
    });
  });

  test('a message in a topic belongs to the topic and answers nothing', () => {
    const { content: found } = read('message_topic');

    expect(found).toMatchObject({
      kind: 'message',
      chat: { chatId: '-1003704570396', threadId: '33', kind: 'group', title: 'Testing' },
      addressed: false,
    });
    expect(found).not.toHaveProperty('replyTo');
  });

  test('an answer in a topic names what it answers', () => {
    expect(read('message_different_topic_reply').content).toMatchObject({
      chat: { threadId: '33' },
      replyTo: { messageId: '70', text: 'aaaa', senderName: 'Cyd Fay' },
    });
  });

  test('an answer in General carries a thread id and is in no topic', () => {
    expect(read('message_general_topic_reply').content).toMatchObject({
      chat: { threadId: '' },
      replyTo: { messageId: '66', text: 'aaaaaa' },
    });
  });

  test('an edit', () => {
    expect(read('edited_message').content).toMatchObject({
      kind: 'edit',
      messageId: '23762',
      text: 'Editing this message',
      editedAt: new Date('2020-03-23T17:40:45.000Z'),
    });
  });

  test('a forward may be followed by more', () => {
    expect(read('message_forward_origin').content).toMatchObject({
      kind: 'message',
      text: 'Ciao',
      series: 'forwards',
    });
  });

  test('both notices of a migration say the same', () => {
    expect(read('migrate_to_chat_id').content).toEqual({
      kind: 'chat_migrated',
      fromChatId: '137602589',
      toChatId: '119492256',
    });
    expect(read('migrate_from_chat_id').content).toEqual({
      kind: 'chat_migrated',
      fromChatId: '3244366886',
      toChatId: '137602589',
    });
  });

  test('the words under a picture count as its text', () => {
    expect(read('photo').content).toMatchObject({
      kind: 'message',
      text: 'asdasdasdasdasdasd',
      messageId: '456901',
    });
  });

  test('a place that somebody shares is told in words', () => {
    expect(read('location').content).toMatchObject({
      kind: 'message',
      text: expect.stringMatching(/^\(location: -?\d+\.\d+, -?\d+\.\d+\)$/),
    });
  });

  test.each([
    ['new_chat_members', 'no_text', 'new_chat_members'],
    ['rich_message', 'no_text', 'rich_message'],
    ['channel_post', 'unsupported_kind', 'channel_post'],
    ['callback_query', 'unsupported_kind', 'callback_query'],
    ['business_message', 'unsupported_kind', 'business_message'],
    ['guest_message', 'unsupported_kind', 'guest_message'],
    ['subscription', 'unsupported_kind', 'subscription'],
  ])('%s is ignored for the reason %s', (name, reason, what) => {
    expect(read(name).content).toMatchObject({ kind: 'ignored', reason, what });
  });
});
