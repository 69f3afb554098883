/** What the service says of its own accord, in the languages it knows. */
import { expect, test } from 'vitest';
import { fill, type ChatTarget } from '@palimpsest/core';
import { commandList } from '../../packages/turn/src/commands/command-list.ts';
import { menuCommands } from '../../packages/turn/src/commands/menu-commands.ts';
import { failureText, noticeIn, withdrawnText } from '../../packages/turn/src/texts.ts';
import { sayIn } from '../../packages/turn/src/words/say.ts';
import { languages, wordsFor } from '../../packages/turn/src/words/words-for.ts';

const { en: english, ...others } = languages;
const chat = (language?: string): ChatTarget => ({
  chatRowId: 1,
  account: { platform: 'telegram', id: '1' },
  place: { chatId: '1', threadId: '', kind: 'direct' },
  ...(language !== undefined && { language }),
});
const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

test.each(Object.keys(others))(
  '%s has every text, with the same things to fill in, and every command',
  (code) => {
    const { menu, ...texts } = others[code]!;
    const { menu: _, ...originals } = english!;

    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(originals).toSorted());
    for (const [key, original] of Object.entries(originals)) {
      const text = texts[key as keyof typeof texts];
      expect(text.trim(), key).not.toBe('');
      expect(names(text), key).toEqual(names(original));
    }
    expect(Object.keys(menu).toSorted()).toEqual(commandList.map(({ name }) => name).toSorted());
    for (const description of Object.values(menu)) {
      expect([...description].length, description).toBeLessThanOrEqual(100);
      expect(description.trim()).not.toBe('');
    }
  },
);

test('notices of compaction are one line of one or two plain sentences, without settings or figures', () => {
  for (const { condensing, condensed, condensedLocally, notCondensed, mainTookOver } of Object.values(
    languages,
  ))
    for (const text of [condensing, condensed, condensedLocally, notCondensed, mainTookOver]) {
      expect(text.length).toBeLessThan(240);
      expect(text).not.toMatch(/\n|compression|hygiene|token|\d/i);
    }
});

test('the language of the chat is known by the first part of its tag; any other is English', () => {
  expect(
    ['de', 'de-AT', 'PT-br', 'es_419', 'xx', 'constructor', '', undefined].map((tag) =>
      noticeIn(chat(tag), 'stopped'),
    ),
  ).toEqual([
    'ℹ️ Angehalten.',
    'ℹ️ Angehalten.',
    'ℹ️ Parado.',
    'ℹ️ Detenido.',
    'ℹ️ Stopped.',
    'ℹ️ Stopped.',
    'ℹ️ Stopped.',
    'ℹ️ Stopped.',
  ]);
});

test('an error is told in plain words with an id', () => {
  const failure = {
    kind: 'quota',
    message: 'HTTP 429 {"type":"x"}',
    retryable: false,
    retryAfterMs: 30 * 60_000,
  } as const;

  expect(failureText(chat('de'), failure, '0123456789')).toBe(
    'ℹ️ Das Kontingent des Modells ist aufgebraucht, noch 30 Minuten, ich kann gerade nicht antworten. Der Betreiber erfährt es aus dem Protokoll. Deine Nachricht bleibt erhalten. (01234567)',
  );
  expect(failureText(chat(), { ...failure, retryAfterMs: 5 * 3_600_000 }, '0123456789')).toBe(
    "ℹ️ The model account's limit is used up for about 5 hours, so I cannot answer now. The operator has been told in the log. Your message is kept. (01234567)",
  );
});

test('what was dropped is counted', () => {
  expect([0, 1, 2].map((count) => withdrawnText(chat('ru'), count))).toEqual([
    '',
    ' Одно ожидавшее сообщение отброшено.',
    ' Отброшено ожидавших сообщений: 2.',
  ]);
});

test('a name that is filled in is not filled in again', () => {
  expect(fill('{a} {b} {c}', { a: '{b}', b: 'B' })).toBe('{b} B {c}');
  expect(wordsFor({ language: 'fr' }).menu.help).toBe('cette liste');
});

test('menus have the descriptions of all languages beside the English one', () => {
  const stop = menuCommands(() => true).find(({ name }) => name === 'stop');

  expect(stop).toMatchObject({
    description: 'stop the answer being written',
    translations: { de: 'die laufende Antwort anhalten', fr: 'arrêter la réponse en cours' },
  });
  expect(Object.keys(stop!.translations)).toEqual(['de', 'es', 'fr', 'pt', 'ru']);
});

test.each([
  ['en', '20 MB'],
  ['de', '20 MB'],
  ['fr', '20 Mo'],
  ['es', '20 MB'],
  ['pt', '20 MB'],
  ['ru', '20 МБ'],
])('the most that Telegram gives to a bot is told in %s as Telegram tells it', (language, size) => {
  expect(
    sayIn({ language })
      .size(20 * 1024 * 1024)
      .replaceAll(/[\u00A0\u202F]/g, ' '),
  ).toBe(size);
});
