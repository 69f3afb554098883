/** Which files come with a message on Discord: its own, of what it passes on, of what it answers. */
import { normaliseDispatch } from '@palimpsest/platforms';
import { expect, test } from 'vitest';

const bot = { id: '1027672206240022830', name: 'palimpsest' };

const contentOf = (changes: Record<string, unknown>) =>
  normaliseDispatch(
    'MESSAGE_CREATE',
    {
      id: '1045464488192410464',
      type: 0,
      channel_id: '1023383869883602982',
      channel_type: 1,
      author: { id: '1026115847244793211', username: 'ada' },
      content: 'hello',
      timestamp: '2026-07-14T13:02:12.171000+00:00',
      edited_timestamp: null,
      mentions: [],
      attachments: [],
      ...changes,
    },
    bot,
  ).content;

test('files of a message come first, then those it passes on, then those of the message it answers', () => {
  const file = (id: string) => ({ id, url: `https://cdn.discordapp.com/attachments/1/${id}/a.png` });
  const found = contentOf({
    attachments: [file('1')],
    message_snapshots: [{ message: { content: '!new', attachments: [file('2')] } }],
    referenced_message: { id: '9', content: 'look', author: { id: '5' }, attachments: [file('3')] },
  });

  expect(found).toMatchObject({ text: 'hello\n!new', addressed: true });
  const { media = [] } = found as { media?: { reference: string; isAnswered?: true }[] };
  expect(media.map(({ reference, isAnswered }) => [JSON.parse(reference).id, isAnswered])).toEqual([
    ['1', undefined],
    ['2', undefined],
    ['3', true],
  ]);
});

test('an answer without words and files of its own is nothing, whatever it answers', () => {
  const attachments = [{ id: '3', url: 'https://cdn.discordapp.com/attachments/1/3/a.png' }];
  const referenced_message = { id: '9', content: 'look', author: { id: '5' }, attachments };

  expect(contentOf({ type: 19, content: '', referenced_message })).toMatchObject({
    kind: 'ignored',
    reason: 'no_text',
  });
});
