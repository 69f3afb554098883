/** Long answers become messages that no platform refuses, and nothing of them is lost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyTextMark, splitStyled } from '../../packages/platforms/src/text/split-styled.ts';
import { plainText } from '../../packages/platforms/src/text/styled-text.ts';

const splitText = (text: string, { limit }: { limit: number }): string[] =>
  splitStyled(plainText(text), { limit }).map((piece) => piece.text);

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
