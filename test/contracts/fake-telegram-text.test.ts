/** Texts, entities and parse errors of the fake, with the wordings and units of the real server. */
import type { MessageEntity, ParseMode } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import { botApiSchema, openTelegram, refusalOf } from '../support/fake-telegram.ts';

const EMOJI = '👉';

describe.skipIf(botApiSchema.missing)('lengths', () => {
  test('4096 emoji are accepted as one text and 4097 are refused: code points count', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const longest = await world.api.sendMessage(5, EMOJI.repeat(4096));

    expect(longest.text).toHaveLength(8192);
    expect(await refusalOf(world.api.sendMessage(5, EMOJI.repeat(4097)))).toEqual([
      400,
      'Bad Request: message is too long',
    ]);
  });

  test('the limit holds after parsing, so markup does not count', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, `<b>${'&lt;'.repeat(4096)}</b>`, {
      parse_mode: 'HTML',
    });

    expect(sent.text).toBe('<'.repeat(4096));
  });

  test('an edit that is too long has a wording of its own', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    await world.api.sendMessage(5, 'short');

    expect(await refusalOf(world.api.editMessageText(5, 1, 'x'.repeat(4097)))).toEqual([
      400,
      'Bad Request: MESSAGE_TOO_LONG',
    ]);
  });

  test('callback data has 1 to 64 bytes', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });
    const keyboard = (data: string) => ({
      reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: data }]] },
    });

    await world.api.sendMessage(5, 'fits', keyboard('é'.repeat(32)));

    expect(await refusalOf(world.api.sendMessage(5, 'x', keyboard('é'.repeat(33))))).toEqual([
      400,
      'Bad Request: BUTTON_DATA_INVALID',
    ]);
    expect(await refusalOf(world.api.sendMessage(5, 'x', keyboard('')))).toEqual([
      400,
      'Bad Request: BUTTON_DATA_INVALID',
    ]);
  });

  test('an empty text and one of white space are refused', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    expect(await refusalOf(world.api.sendMessage(5, ''))).toEqual([
      400,
      'Bad Request: message text is empty',
    ]);
    expect(await refusalOf(world.api.sendMessage(5, ' \n '))).toEqual([
      400,
      'Bad Request: text must be non-empty',
    ]);
  });

  test('at most a hundred entities are kept', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, '<b>x</b> '.repeat(120), { parse_mode: 'HTML' });

    expect(sent.entities).toHaveLength(100);
  });
});

describe.skipIf(botApiSchema.missing)('entities', () => {
  const bold = (offset: number, length: number): { entities: MessageEntity[] } => ({
    entities: [{ type: 'bold', offset, length }],
  });

  test.each([
    [
      'begin in a surrogate pair',
      `${EMOJI} x`,
      bold(1, 1),
      'entity begins in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      'end in a surrogate pair',
      `${EMOJI} x`,
      bold(0, 1),
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      'end past the end',
      'aba caba',
      bold(3, 6),
      'entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 9',
    ],
    [
      'begin past the end',
      'aba caba',
      bold(9, 1),
      'entity begins after the end of the text at UTF-16 offset 9',
    ],
    ['have a negative offset', 'aba', bold(-1, 1), 'receive an entity with incorrect offset -1'],
  ])('entities that %s are refused', async (_what, text, entities, reason) => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    expect(await refusalOf(world.api.sendMessage(5, text, entities))).toEqual([
      400,
      `Bad Request: ${reason}`,
    ]);
  });

  test('white space at both ends is trimmed and entities move', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, `\n  ${EMOJI} bold \n`, bold(1, 10));

    expect(sent.text).toBe(`${EMOJI} bold`);
    expect(sent.entities).toEqual([{ type: 'bold', offset: 0, length: 7 }]);
  });

  test('commands, mentions and links are found by the server, but not inside code', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, '/help @ann_bee https://example.org/a. <code>/stop</code>', {
      parse_mode: 'HTML',
    });

    expect(sent.entities).toEqual([
      { type: 'bot_command', offset: 0, length: 5 },
      { type: 'mention', offset: 6, length: 8 },
      { type: 'url', offset: 15, length: 21 },
      { type: 'code', offset: 38, length: 5 },
    ]);
  });

  test('commands of people carry an entity, with the name of the bot', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: -6, type: 'group' });

    world.fake.userSends({ chatId: -6, from: 5, text: '/stop@palimpsest_test_bot now, not a/b' });

    const [update] = await world.api.getUpdates();
    expect(update?.message?.entities).toEqual([{ type: 'bot_command', offset: 0, length: 25 }]);
  });
});

describe.skipIf(botApiSchema.missing)('HTML', () => {
  test.each<[string, string, MessageEntity[]]>([
    [
      '<b>a <i>b</i></b>',
      'a b',
      [
        { type: 'bold', offset: 0, length: 3 },
        { type: 'italic', offset: 2, length: 1 },
      ],
    ],
    [
      '<pre><code class="language-ts">x &lt; y</code></pre>',
      'x < y',
      [{ type: 'pre', offset: 0, length: 5, language: 'ts' }],
    ],
    [
      `${EMOJI}<a href="https://example.org">here</a>`,
      `${EMOJI}here`,
      [{ type: 'text_link', offset: 2, length: 4, url: 'https://example.org/' }],
    ],
    ['<blockquote expandable>q</blockquote>', 'q', [{ type: 'expandable_blockquote', offset: 0, length: 1 }]],
    [
      '<span class="tg-spoiler">s</span> &amp; &nbsp; &#33;',
      's & &nbsp; !',
      [{ type: 'spoiler', offset: 0, length: 1 }],
    ],
  ])('%s is parsed', async (html, text, entities) => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, html, { parse_mode: 'HTML' });

    expect([sent.text, sent.entities]).toEqual([text, entities]);
  });

  refusals('HTML', [
    ['<b>never closed', 'Can\'t find end tag corresponding to start tag "b"'],
    [`é<x>y</x>`, 'Unsupported start tag "x" at byte offset 2'],
    ['<b>a</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['a</b>', 'Unexpected end tag at byte offset 1'],
    ['1 < 2', 'Unsupported start tag "" at byte offset 2'],
    ['1 <2', 'Unclosed start tag at byte offset 2'],
    ['<span class="x">a</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<a href>a</a>', 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'],
  ]);
});

describe.skipIf(botApiSchema.missing)('MarkdownV2', () => {
  test.each<[string, string, MessageEntity[]]>([
    [
      '*bold* _it_ __un__ ~st~ ||sp||',
      'bold it un st sp',
      [
        { type: 'bold', offset: 0, length: 4 },
        { type: 'italic', offset: 5, length: 2 },
        { type: 'underline', offset: 8, length: 2 },
        { type: 'strikethrough', offset: 11, length: 2 },
        { type: 'spoiler', offset: 14, length: 2 },
      ],
    ],
    [
      '`a\\`b` ```py\nx = 1.0\n```',
      'a`b x = 1.0',
      [
        { type: 'code', offset: 0, length: 3 },
        { type: 'pre', offset: 4, length: 7, language: 'py' },
      ],
    ],
    [
      '[a\\.b](https://example.org/x_\\(1\\))\\.',
      'a.b.',
      [{ type: 'text_link', offset: 0, length: 3, url: 'https://example.org/x_(1)' }],
    ],
    ['>one\n>two\nthree', 'one\ntwo\nthree', [{ type: 'blockquote', offset: 0, length: 8 }]],
    ['>one\n>two||', 'one\ntwo', [{ type: 'expandable_blockquote', offset: 0, length: 7 }]],
  ])('%s is parsed', async (markdown, text, entities) => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const sent = await world.api.sendMessage(5, markdown, { parse_mode: 'MarkdownV2' });

    expect([sent.text, sent.entities]).toEqual([text, entities]);
  });

  refusals('MarkdownV2', [
    ['a.b', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['a|b', "Character '|' is reserved and must be escaped with the preceding '\\'"],
    ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
    ['é *bold', "Can't find end of Bold entity at byte offset 3"],
    ['x ```ts\ncode', "Can't find end of PreCode entity at byte offset 2"],
    ['[a](http://x.org', "Can't find end of a URL at byte offset 4"],
    ['![x]y', 'Custom emoji entity must contain a tg://emoji URL'],
  ]);

  test('an unknown parse mode is refused', async () => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const parse_mode: ParseMode = JSON.parse('"Mark"');
    expect(await refusalOf(world.api.sendMessage(5, 'x', { parse_mode }))).toEqual([
      400,
      'Bad Request: unsupported parse_mode',
    ]);
  });
});

function refusals(parse_mode: ParseMode, cases: [text: string, reason: string][]): void {
  test.each(cases)('%s is refused', async (text, reason) => {
    await using world = await openTelegram();
    world.fake.addChat({ id: 5, type: 'private' });

    const refusal = await refusalOf(world.api.sendMessage(5, text, { parse_mode }));

    expect(refusal).toEqual([400, `Bad Request: can't parse entities: ${reason}`]);
    expect(world.fake.violations).toEqual([]);
  });
}
