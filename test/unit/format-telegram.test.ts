/** What Markdown looks like on Telegram: text and entities, written out by hand for every construct. */
import { describe, expect, test } from 'vitest';
import { splitForTelegram } from '../../packages/platforms/src/telegram/split-for-telegram.ts';

const options = { markup: 'markdown', fileOverParts: 5 } as const;

/** The only part: its text and, for each entity, its kind and what it covers. */
function shown(markdown: string) {
  const [part, ...others] = splitForTelegram(markdown, options);
  expect(others).toEqual([]);
  const entities = part?.form?.kind === 'entities' ? part.form.entities : [];
  return {
    text: part!.text,
    marks: entities.map(({ type, offset, length, ...more }) =>
      [type, part!.text.slice(offset, offset + length), ...Object.values(more)].join(': '),
    ),
  };
}

describe('on Telegram', () => {
  test.each([
    ['bold', '**a** b', 'a b', ['bold: a']],
    ['italic', 'x *a* _b_', 'x a b', ['italic: a', 'italic: b']],
    ['crossed out', '~~a~~ and ~5', 'a and ~5', ['strikethrough: a']],
    ['in each other', '**a _b_**', 'a b', ['bold: a b', 'italic: b']],
    ['spoilers', '||a **b**|| or c || d', 'a b or c || d', ['spoiler: a b', 'bold: b']],
    ['code', 'run `a*b`', 'run a*b', ['code: a*b']],
    ['bold around code', '**use `a` now**', 'use a now', ['bold: use ', 'code: a', 'bold:  now']],
    ['a link', '[docs](https://e.org/a)', 'docs', ['text_link: docs: https://e.org/a']],
    ['code in a link', '[`a`](https://e.org/a)', 'a', ['text_link: a: https://e.org/a']],
    ['a bare link', 'see <https://e.org/a_b>', 'see https://e.org/a_b', []],
    ['a link by name', '[docs][1]\n\n[1]: https://e.org', 'docs', ['text_link: docs: https://e.org']],
    ['a picture', '![a cat](https://e.org/c.png)', 'a cat', ['text_link: a cat: https://e.org/c.png']],
    ['a link that pings', '[Ada](tg://user?id=1)', '[Ada](tg://user?id=1)', []],
    ['a link to nowhere', '[here](./a.md)', '[here](./a.md)', []],
    ['headings', '# A\n\ntext\n### B', 'A\n\ntext\nB', ['bold: A', 'bold: B']],
    ['a heading with code', '## Use `a`', 'Use a', ['bold: Use ', 'code: a']],
    ['a block of code', 'x\n```ts\nlet a;\n\n  b\n```\ny', 'x\nlet a;\n\n  b\ny', ['pre: let a;\n\n  b: ts']],
    ['a block without a language', '~~~\na\n~~~', 'a', ['pre: a']],
    ['a block that never ends', '```py\nprint(1)', 'print(1)', ['pre: print(1): py']],
    ['a quote', '> a\n> **b**\n\nc', 'a\nb\n\nc', ['blockquote: a\nb', 'bold: b']],
    ['a quote in a quote', '> a\n> > b', 'a\nb', ['blockquote: a\nb']],
    ['a list', '- a\n- b\n  - c\n\n* d', '• a\n• b\n  • c\n\n• d', []],
    ['a numbered list', '3. a\n4. b\n   1) c', '3. a\n4. b\n  1) c', []],
    ['a list with paragraphs', '- a\n\n  b\n- c', '• a\n\n  b\n• c', []],
    ['a list with code', '1. a\n   ```sh\n   ls\n   ```\n2. b', '1. a\nls\n2. b', ['pre: ls: sh']],
    ['tasks', '- [x] a\n- [ ] b', '☑ a\n☐ b', []],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb', []],
    ['marks with a backslash', '\\*a\\* &amp; 1\\. b', '*a* & 1. b', []],
    ['tags', 'a <b>b</b>', 'a <b>b</b>', []],
    ['a footnote', 'a[^1]\n\n[^1]: b', 'a[1]\n\n[1] b', []],
  ])('%s', (_, markdown, text, marks) => {
    expect(shown(markdown)).toEqual({ text, marks });
  });

  test('a table is an aligned block; wide characters count twice', () => {
    const markdown = '| Name | Size |\n|:--|--:|\n| **a** | 1 |\n| 漢字<br>b | 1000 |';

    expect(shown(markdown)).toEqual({
      text: 'Name | Size\n-----+-----\na    |    1\n漢字 | 1000\nb    |',
      marks: ['pre: Name | Size\n-----+-----\na    |    1\n漢字 | 1000\nb    |'],
    });
  });

  test('positions are UTF-16 units: emoji and right-to-left text in front of a mark', () => {
    const [part] = splitForTelegram('👩‍👩‍👧‍👦 שלום **עולם** 😀 `x`', options);

    expect(part).toEqual({
      text: '👩‍👩‍👧‍👦 שלום עולם 😀 x',
      form: {
        kind: 'entities',
        entities: [
          { type: 'bold', offset: 17, length: 4 },
          { type: 'code', offset: 25, length: 1 },
        ],
      },
    });
  });

  test('text without Markdown is sent as it is, to the last space', () => {
    const text = '  Two  words,\n\n\n   snake_case 2 * 3  \nend.\n\n';

    expect(splitForTelegram(text, options)).toEqual([{ text }]);
  });

  test('notices are not Markdown', () => {
    expect(splitForTelegram('**a** _b_', { markup: 'plain', fileOverParts: 5 })).toEqual([
      { text: '**a** _b_' },
    ]);
  });

  test('a block of code that is cut goes on with its language; a bold text is bold in both parts', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${1000 + index}`);
    const parts = splitForTelegram(
      `\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\n**${'word '.repeat(400)}end**`,
      options,
    );

    expect(parts.map((part) => part.form)).toEqual([
      { kind: 'entities', entities: [{ type: 'pre', offset: 0, length: 4029, language: 'ts' }] },
      {
        kind: 'entities',
        entities: [
          { type: 'pre', offset: 0, length: 969, language: 'ts' },
          { type: 'bold', offset: 971, length: 2003 },
        ],
      },
    ]);
    expect(parts.map((part) => part.text.slice(0, 9))).toEqual(['line 1000', 'line 1403']);
  });

  test('a heading is not parted from what stands under it', () => {
    const parts = splitForTelegram(`${'a'.repeat(3000)}\n\n## Title\n\n${'b'.repeat(2000)}`, options);

    expect(parts.map((part) => part.text.slice(0, 5))).toEqual(['aaaaa', 'Title']);
  });

  test('no more entities in a part than Telegram keeps', () => {
    const parts = splitForTelegram('**a** b\n'.repeat(150), options);

    expect(parts.map((part) => (part.form?.kind === 'entities' ? part.form.entities.length : 0))).toEqual([
      100, 50,
    ]);
  });

  test('an answer of more than five parts is its first part and a file of the Markdown', () => {
    const text = `# Title\n\n${'word '.repeat(5000)}`;
    const parts = splitForTelegram(text, options);

    expect(parts).toHaveLength(2);
    expect(parts[1]).toEqual({
      text,
      form: {
        kind: 'file',
        name: 'answer.md',
        caption: 'This is only the beginning. The whole answer is in the file.',
      },
    });
    expect(splitForTelegram(text, { ...options, fileOverParts: 0 })).toHaveLength(7);
  });
});
