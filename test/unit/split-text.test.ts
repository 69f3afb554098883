/** Long answers become messages that no platform refuses, and nothing of them is lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyTextMark, splitText } from '../../packages/platforms/src/text/split-text.ts';

describe('where a text is cut', () => {
  test('a text that fits is one part, exactly as it was', () => {
    expect(splitText('  hello\n\n', { limit: 20 })).toEqual(['  hello\n\n']);
  });

  test('between paragraphs before anything else', () => {
    expect(splitText('One two three.\n\nFour five\nsix seven', { limit: 28 })).toEqual([
      'One two three.',
      'Four five\nsix seven',
    ]);
  });

  test('between lines when no paragraph ends in the second half', () => {
    expect(splitText('a\n\nOne two three\nfour five six seven', { limit: 24 })).toEqual([
      'a\n\nOne two three',
      'four five six seven',
    ]);
  });

  test('between sentences when the line is too long', () => {
    expect(splitText('One two three four. Five six seven eight nine', { limit: 30 })).toEqual([
      'One two three four.',
      'Five six seven eight nine',
    ]);
  });

  test('between words when the sentence is too long', () => {
    expect(splitText('one two three four five six seven', { limit: 20 })).toEqual([
      'one two three four',
      'five six seven',
    ]);
  });

  test('anywhere when there is no word border', () => {
    expect(splitText('abcdefghijklmnopqrstuvwxyz', { limit: 16 })).toEqual([
      'abcdefghijklmnop',
      'qrstuvwxyz',
    ]);
  });

  test('the indentation of the next line stays', () => {
    expect(splitText('- first entry\n  - second entry', { limit: 20 })).toEqual([
      '- first entry',
      '  - second entry',
    ]);
  });

  test('an emoji is never cut in two, not even one of several code points', () => {
    expect(splitText('😀'.repeat(12), { limit: 17 })).toEqual(['😀'.repeat(8), '😀'.repeat(4)]);
    expect(splitText(`${'x'.repeat(12)}👩‍👩‍👧‍👦yz`, { limit: 20 })).toEqual(['x'.repeat(12), '👩‍👩‍👧‍👦yz']);
  });
});

describe('code blocks', () => {
  test('a cut block is closed and reopened with its language', () => {
    const text =
      '```ts\nconst first = 1;\nconst second = 2;\nconst third = 3;\nconst fourth = 4;\nconst fifth = 5;\n```\nDone.';

    expect(splitText(text, { limit: 64 })).toEqual([
      '```ts\nconst first = 1;\nconst second = 2;\nconst third = 3;\n```',
      '```ts\nconst fourth = 4;\nconst fifth = 5;\n```\nDone.',
    ]);
  });

  test('a block that fits into the next part is not cut', () => {
    const text = 'An explanation that takes some room here:\n```\nline one\nline two\nline three\n```';

    expect(splitText(text, { limit: 64 })).toEqual([
      'An explanation that takes some room here:',
      '```\nline one\nline two\nline three\n```',
    ]);
  });

  test('the closing line of a block does not begin a part', () => {
    const text = `~~~\n${'x'.repeat(55)}\n~~~\nand some more text`;

    expect(splitText(text, { limit: 64 })).toEqual([`~~~\n${'x'.repeat(55)}\n~~~`, 'and some more text']);
  });

  test('a block that never ends is closed in the last part', () => {
    expect(splitText(`\`\`\`\n${'a'.repeat(40)}\n${'b'.repeat(40)}`, { limit: 64 })).toEqual([
      `\`\`\`\n${'a'.repeat(40)}\n\`\`\``,
      `\`\`\`\n${'b'.repeat(40)}\n\`\`\``,
    ]);
  });

  test('indentation in code survives the cut, and so do its empty lines', () => {
    const text = `\`\`\`py\nif a:\n${'    work()\n'.repeat(4)}\n    rest()\n\`\`\``;

    expect(splitText(text, { limit: 64 })).toEqual([
      '```py\nif a:\n    work()\n    work()\n    work()\n    work()\n\n```',
      '```py\n    rest()\n```',
    ]);
  });
});

describe('texts with nothing to see', () => {
  test.each(['', '   \n\n\t', '\u200b\u200d', '\0'])(
    '%j is said to be empty, because platforms refuse empty messages',
    (text) => {
      expect(splitText(text, { limit: 100 })).toEqual([emptyTextMark]);
    },
  );

  test('white space that fills whole messages is left out between parts', () => {
    expect(splitText(`one${'\n'.repeat(200)}two`, { limit: 50 })).toEqual(['one', 'two']);
  });

  test('a limit that leaves no room is refused', () => {
    expect(() => splitText('text', { limit: 5 })).toThrow(
      'a limit of 5 is too small to split a text; use 16 or more',
    );
  });
});

describe('whatever a model writes', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '```ts\n',
      '```\n',
      '~~~\n',
      '  ```js title="a"\n',
      '> ```\n',
      '````\n',
      '`code` ',
      '```inline``` ',
    ),
    fc.constantFrom(
      '- item\n  - nested\n',
      '| a | b |\n|---|---|\n',
      '\n\n',
      '\n',
      ' ',
      '. ',
      'שלום עולם ',
      '👩‍👩‍👧‍👦',
      '漢字。',
    ),
    fc.integer({ min: 1, max: 300 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 1, max: 90 }).map((length) => ' '.repeat(length)),
  );
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  const limits = fc.integer({ min: 16, max: 300 });

  test('no part is over the limit, empty, or cut inside a surrogate pair', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const parts = splitText(text, { limit });
        expect(parts.length).toBeGreaterThan(0);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.trim()).not.toBe('');
          if (text.isWellFormed()) expect(part.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a control character behind a whole part of blanks is left out with them', () => {
    expect(splitText(`!${' '.repeat(15)}\u0000`, { limit: 16 })).toEqual(['!']);
  });

  test('joined, the parts are the text apart from white space and fences', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        // Without languages, since those are said again with the fences.
        const source = text.replaceAll(/(?<=[`~]{3})[^\n]+/g, '');
        const parts = splitText(source, { limit });
        if (parts[0] !== emptyTextMark) expect(bare(parts.join('\n'))).toBe(bare(source));
      }),
      { numRuns: 2000 },
    );
  });

  test('without code the parts are the text apart from white space', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const plain = `a${text.replaceAll(/[`~]/g, '-')}`;
        const parts = splitText(plain, { limit });
        expect(visible(parts.join(''))).toBe(visible(plain));
      }),
    );
  });

  test('code blocks are balanced in every part of a split text', () => {
    const lines = fc.array(
      fc.oneof(
        fc.string({ maxLength: 90 }).map((text) => text.replaceAll(/[`~\n]/g, '')),
        fc.constantFrom('```ts', '```', '```'),
      ),
      {
        minLength: 20,
        maxLength: 80,
      },
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 100, max: 400 }), (source, limit) => {
        const text = source.join('\n');
        const parts = splitText(text, { limit });
        if (parts.length > 1) for (const part of parts) expect(endsInCode(part)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('a megabyte without a border is split in linear time', () => {
    expect(splitText('x'.repeat(1_000_000), { limit: 2000 })).toHaveLength(500);
  });
});

/** A text without white space and without the characters that fences consist of. */
function bare(text: string): string {
  return visible(text).replaceAll(/[`~>]/g, '');
}

/** A part with nothing to see (white space, control and format characters) is left out, so these do not count. */
function visible(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '');
}

/** Whether a part ends inside a code block, for texts whose fences are three back-ticks at the start of a line. */
function endsInCode(part: string): boolean {
  let isOpen = false;
  for (const line of part.split('\n')) {
    if (isOpen ? line === '```' : line.startsWith('```')) isOpen = !isOpen;
  }
  return isOpen;
}
