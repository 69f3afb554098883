/** The button under a draft of Telegram, in our words. */
import { describe, expect, test } from 'vitest';
import { normaliseUpdate } from '../../packages/platforms/src/telegram/normalise-update.ts';

const bot = { id: '7000000001', username: 'palimpsest_test_bot' };

describe('the button under a draft', () => {
  const stop = (body: object) =>
    normaliseUpdate({ update_id: 1, stopped_message_generation: body }, new Uint8Array(), bot).content;
  const chat = { id: 5, type: 'private', first_name: 'Ada' };

  test('is /stop of the person for that draft, in its topic', () => {
    expect(stop({ chat, message_thread_id: 9, draft_id: 77 })).toMatchObject({
      kind: 'message',
      chat: { chatId: '5', threadId: '9', kind: 'direct' },
      sender: { id: '5', name: 'Ada', isBot: false },
      messageId: '77',
      command: { name: 'stop', argument: 'draft:77' },
    });
  });

  test('is nothing in a group, and kept raw without a draft', () => {
    expect(stop({ chat: { id: -5, type: 'group' }, draft_id: 77 })).toMatchObject({ kind: 'ignored' });
    expect(stop({ chat })).toEqual({ kind: 'unparsed', problem: 'a stop without a chat or a draft' });
  });
});
