/** What Markdown becomes on Discord: written out by hand for every construct, and read as Discord's clients read it. */
import { describe, expect, test } from 'vitest';
import { splitForDiscord } from '../../packages/platforms/src/discord/split-for-discord.ts';
import { readDiscord } from '../support/read-discord.ts';

const options = { markup: 'markdown', fileOverParts: 5 } as const;

function sent(markdown: string): string {
  const parts = splitForDiscord(markdown, options);
  expect(parts).toHaveLength(1);
  return parts[0]!.text;
}

describe('on Discord', () => {
  test.each([
    ['bold', '__a__ b', '**a** b'],
    ['italic', 'x *a* _b_', 'x _a_ _b_'],
    ['italic in a word', 'un*believ*able', 'un*believ*able'],
    ['crossed out', '~~a~~ and ~5', '~~a~~ and ~5'],
    ['in each other', '**a _b_**', '**a _b_**'],
    ['spoilers', '||a **b**||', '||a **b**||'],
    ['code', 'run `a*b`', 'run `a*b`'],
    ['code with a back-tick', '`` a`b ``', '``a`b``'],
    ['a link', '[docs](https://e.org/a_(b))', '[docs](https://e.org/a_%28b%29)'],
    [
      'a link whose label is an address',
      '[https://a.org x](https://e.org)',
      'https://a.org x (<https://e.org>)',
    ],
    ['a bare link', 'see <https://e.org/a_b_c*d>', 'see https://e.org/a_b_c*d'],
    [
      'a bare link in marks',
      '**https://e.org/a** (https://e.org/b) *https://e.org*',
      '**https://e.org/a** (https://e.org/b) _https://e.org_',
    ],
    [
      'marks right behind an address, which would be a part of it',
      'x (https://e.org/b)**<c**',
      'x (https://e.org/b) **<c**',
    ],
    [
      'italic at the beginning of a label that cannot hide its address, right behind a crossed-out word',
      '~~a~~[_b_ https://e.org/c](https://e.org/d)',
      '~~a~~*b* https://e.org/c (<https://e.org/d>)',
    ],
    ['headings', '# A\n\n### B\n\n#### C', '# A\n\n### B\n\n**C**'],
    ['a block of code', 'x\n```ts title="a"\nlet a;\n```\ny', 'x\n```ts\nlet a;\n```\ny'],
    [
      'a block of code with fences in it',
      '````\n```\na\n```\n````',
      '```\n`\u200B`\u200B`\na\n`\u200B`\u200B`\n```',
    ],
    ['a quote', '> a\n> **b**\n>\n> ```\n> x\n> ```\n\nc', '> a\n> **b**\n> \n> ```\n> x\n> ```\n\nc'],
    ['a list', '* a\n* b\n  * c', '- a\n- b\n  - c'],
    ['a numbered list', '3. a\n4. b\n   1) c', '3. a\n4. b\n  1) c'],
    ['a list with code', '1. a\n   ```sh\n   ls\n   ```\n2. b', '1. a\n```sh\nls\n```\n2. b'],
    ['tasks', '- [x] a\n- [ ] b', '☑ a\n☐ b'],
    ['a table', '| a | b |\n|---|--:|\n| 1 | 22 |', '```\na |  b\n--+---\n1 | 22\n```'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['bold over two lines', '**a\nb**', '**a**\n**b**'],
  ])('%s', (_, markdown, text) => {
    expect(sent(markdown)).toBe(text);
  });

  test.each([
    ['a mention', 'hi <@123> <@&5> <#9>', 'hi \\<@123> \\<@&5> \\<#9>'],
    ['marks that are none in Markdown', '2 \\* 3 \\*a\\* a\\_b \\_c\\_', '2 * 3 \\*a\\* a_b \\_c\\_'],
    ['bars', 'a || b || c', 'a \\|\\| b \\|\\| c'],
    ['a line like a list', '1986\\. It was\n\\- so', '1986\\. It was\n\\- so'],
    ['small print', '-# a', '\\-# a'],
    ['a line like a quote', '\\> a', '\\> a'],
    ['a backslash', '¯\\\\\\_(ツ)_/¯', '¯\\\\\\_(ツ)\\_/¯'],
    ['a moment', 'at <t:1700000000:R>', 'at \\<t:1700000000:R>'],
    ['a link without an address', '[a](b)', '[a]\u200B(b)'],
    [
      'an open bracket before code with a link',
      'see [1\n\n```\n[[x]](https://e.org)\n```',
      'see \\[1\n\n```\n[[x]](https://e.org)\n```',
    ],
    [
      'an open bracket before a link with brackets',
      'see [1 and [[x]](https://e.org)',
      'see \\[1 and [\\[x]](https://e.org)',
    ],
  ])('%s is shown as it stands', (_, markdown, text) => {
    expect(sent(markdown)).toBe(text);
  });

  test('what is a mark to Markdown is the same to Discord, and nothing else is', () => {
    const read = readDiscord(
      sent('# A *b*\n- `x` and **y**\n\n> z [w](https://e.org) \\*not\\*\n\n```ts\nq_\n```'),
    );

    expect(read).toEqual({
      text: 'A b\n• x and y\n\nz w *not*\n\nq_',
      styles: [
        { kind: 'heading', text: 'A b' },
        { kind: 'italic', text: 'b' },
        { kind: 'code', text: 'x' },
        { kind: 'bold', text: 'y' },
        { kind: 'quote', text: 'z w *not*' },
        { kind: 'link', text: 'w' },
        { kind: 'pre ts', text: 'q_' },
      ],
    });
  });

  test('text without Markdown is sent as it is, to the last space', () => {
    const text = '  Two  words,\n\n\n   snake_case 2 * 3 #tag a<b  \nhttps://e.org/a_b_c?d=*\n\n';

    expect(splitForDiscord(text, options)).toEqual([{ text }]);
  });

  test('notices are shown word for word', () => {
    expect(splitForDiscord('**a** _b_', { markup: 'plain', fileOverParts: 5 })).toEqual([
      { text: '\\*\\*a\\*\\* \\_b\\_' },
    ]);
  });

  test('a block of code that is cut is closed and reopened with its language', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${1000 + index}`);
    const parts = splitForDiscord(`\`\`\`py\n${lines.join('\n')}\n\`\`\``, options).map(({ text }) => text);

    expect(parts.map((text) => [text.slice(0, 15), text.slice(-13), text.length])).toEqual([
      ['```py\nline 1000', 'line 1191\n```', 1_929],
      ['```py\nline 1192', 'line 1299\n```', 1_089],
    ]);
  });

  test('a bold text that is cut is bold in both parts, and so is a quote a quote', () => {
    const parts = splitForDiscord(`> **${'word '.repeat(500)}end**`, options).map(({ text }) => text);

    expect(parts.map((text) => [text.slice(0, 8), text.slice(-6)])).toEqual([
      ['> **word', 'word**'],
      ['> **word', ' end**'],
    ]);
  });

  test('a text of marks alone is cut by what it takes with its backslashes', () => {
    const parts = splitForDiscord('\\|'.repeat(1_500), options).map(({ text }) => text);

    expect(parts.map((text) => text.length)).toEqual([1_930, 1_070]);
    expect(parts.map((text) => readDiscord(text).text).join('')).toBe('|'.repeat(1_500));
  });

  test('an answer of more than five parts is its first part and a file of the Markdown', () => {
    const text = `**Title**\n\n${'word '.repeat(3000)}`;
    const [first, file, ...others] = splitForDiscord(text, options);

    expect(others).toEqual([]);
    expect(first?.text.startsWith('**Title**\n\nword')).toBe(true);
    expect(file).toMatchObject({ text, form: { kind: 'file', name: 'answer.md' } });
  });
});
