/** How often what is being written changes in a chat. */
import { defaultConfig, type ChatTarget } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { StreamPace } from '../../apps/gateway/src/stream-pace.ts';
import { wayOfStreaming } from '../../apps/gateway/src/way-of-streaming.ts';

const chat = (kind: 'direct' | 'group', chatRowId = 1): ChatTarget => ({
  chatRowId,
  account: { platform: 'telegram', id: '900' },
  place: { chatId: String(chatRowId), threadId: '', kind },
});

/** With everything as it is shipped. */
function paceOf(platform: 'telegram' | 'discord'): StreamPace {
  const sender = { account: { platform, id: '900' }, edit: () => {} };
  return new StreamPace(
    wayOfStreaming(defaultConfig(), sender as unknown as Parameters<typeof wayOfStreaming>[1])!,
  );
}

test.each(['telegram', 'discord'] as const)(
  'on %s every 1.1 s in direct chats; in groups nothing is shown, or every 3.1 s where the operator wants it',
  (platform) => {
    const pace = paceOf(platform);

    expect([pace.wayFor('direct'), pace.everyMs(chat('direct'))]).toEqual(['edit', 1_100]);
    expect([pace.wayFor('group'), pace.everyMs(chat('group'))]).toEqual(['off', 3_100]);
  },
);

test('each refusal doubles the time in that chat, up to sixteen times; other chats keep theirs', () => {
  const pace = paceOf('telegram');

  const times = Array.from({ length: 6 }, () => {
    pace.tooFast(chat('direct'));
    return pace.everyMs(chat('direct'));
  });

  expect(times).toEqual([2_200, 4_400, 8_800, 17_600, 17_600, 17_600]);
  expect(pace.everyMs(chat('direct', 2))).toBe(1_100);
});

test('after thirty changes that went well it is one step quicker again, until it is as before', () => {
  const pace = paceOf('telegram');
  pace.tooFast(chat('direct'));
  pace.tooFast(chat('direct'));

  const after = (changes: number): number => {
    for (let change = 0; change < changes; change++) pace.went(chat('direct'));
    return pace.everyMs(chat('direct'));
  };

  expect([after(29), after(1), after(29), after(1), after(100)]).toEqual([4_400, 2_200, 2_200, 1_100, 1_100]);
});
