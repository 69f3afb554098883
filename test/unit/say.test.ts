/** Numbers, times and plurals in the language of a reader. */
import { expect, test } from 'vitest';
import { sayIn } from '@palimpsest/turn';

test.each([
  ['en', ['1 message', '2 messages', '5 messages', '1,234 messages'], '3 minutes', '1 hour'],
  ['de', ['1 Nachricht', '2 Nachrichten', '5 Nachrichten', '1.234 Nachrichten'], '3 Minuten', '1 Stunde'],
  ['ru', ['1 сообщение', '2 сообщения', '5 сообщений', '1 234 сообщения'], '3 минуты', '1 час'],
  ['fr', ['1 message', '2 messages', '5 messages', '1 234 messages'], '3 minutes', '1 heure'],
])('%s', (language, counted, minutes, hour) => {
  const say = sayIn({ language });
  const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

  expect([1, 2, 5, 1_234].map((count) => plain(say.counted(count, 'message')))).toEqual(counted);
  expect(plain(say.duration(200_000))).toBe(minutes);
  expect(plain(say.duration(3_600_000))).toBe(hour);
});

test('what is to be filled in is filled in, and an unknown language is English', () => {
  expect(sayIn({ language: 'tlh' })('noCommand', { name: 'x' })).toBe('There is no command /x.');
  expect(sayIn({ language: 'de-CH' })('noCommand', { name: 'x' })).toBe('Es gibt keinen Befehl /x.');
});
