import { expect, test } from 'vitest';
import { AnchorBook } from '../../packages/engines/src/compressor/anchor-book.ts';
import { parseAnchors, renderAnchors } from '../../packages/engines/src/compressor/anchor-index.ts';
import { findAnchors } from '../../packages/engines/src/compressor/find-anchors.ts';

function anchorsIn(text: string, said = true): string[] {
  const found: { at: number; name: string }[] = [];
  findAnchors(text, said, { add: (kind, anchor, at) => found.push({ at, name: `${kind} ${anchor}` }) });
  return found.sort((a, b) => a.at - b.at).map(({ name }) => name);
}

test.each([
  ['see #7 and #123456.', ['issue #7', 'issue #123456']],
  ['fixed by 3f2a9c1 (not 3f2a9c)', ['commit 3f2a9c1']],
  ['commit 3f2a9c1d5e6b7a8c9d0e1f2a3b4c5d6e7f8a9b0c', ['commit 3f2a9c1d5e6b7a8c9d0e1f2a3b4c5d6e7f8a9b0c']],
  ['in src/app.ts:12:5, then', ['path src/app.ts']],
  ['look at ./a, ../b/c and ~/notes', ['path ./a', 'path ../b/c', 'path ~/notes']],
  ['open "packages/core".', ['path packages/core']],
  ['edit `main.py` or README.md!', ['path main.py', 'path README.md']],
  ['/etc/hosts', ['path /etc/hosts']],
  ['branch fix/login-loop', ['path fix/login-loop']],
  ['--file=src/a.rs', ['path src/a.rs']],
  ['(https://example.org/a?b=1&c=2).', ['url https://example.org/a?b=1&c=2']],
  ['https://en.wikipedia.org/wiki/A_(b) here', ['url https://en.wikipedia.org/wiki/A_(b)']],
  ['ask @ada-l and @bob.', ['handle @ada-l', 'handle @bob']],
  ['TypeError: x is not a function', ['error TypeError: x is not a function']],
  ['  error TS2339: no such property', ['error error TS2339: no such property']],
  ['FAILED tests/test_a.py::test_b', ['error FAILED tests/test_a.py::test_b', 'path tests/test_a.py']],
  ['見てsrc/app.ts。次に#42を', ['path src/app.ts', 'issue #42']],
] as const)('%j holds %j', (text, anchors) => {
  expect(anchorsIn(text)).toEqual(anchors);
});

test.each([
  'and/or he/she 1/2 24/7 03/04/2026',
  'self.memory.read and so on. e.g. this',
  'raise ValueError(message) except KeyError as problem',
  'mail ada@example.org',
  'decade facade 1234567 defaced',
  '550e8400-e29b-41d4-a716-446655440000',
  '&#39; ## heading # 1',
  '</parameter>',
  'a * b / c',
])('%j holds nothing that identifies a thing', (text) => {
  expect(anchorsIn(text)).toEqual([]);
});

test('handles are taken from what was said, not from code in tool output', () => {
  expect(anchorsIn('@property and @ada', false)).toEqual([]);
});

function bookOf(texts: readonly string[]): AnchorBook {
  const book = new AnchorBook();
  for (const text of texts) book.read(text, true);
  return book;
}

test('the index lists by count, then the newest first, with the times seen', () => {
  const book = bookOf([
    'src/a.ts src/b.ts #1',
    'src/b.ts src/c.ts',
    'fatal: no such branch',
    'fatal: no such branch',
  ]);

  expect(renderAnchors(book.ranked(), 500)).toBe(
    'Issues: #1\nPaths: src/b.ts ×2 src/c.ts src/a.ts\nErrors:\n- fatal: no such branch ×2',
  );
});

test('a rendered index is read back with its counts, and counts of the next one are added', () => {
  const book = new AnchorBook();
  book.addEarlier(parseAnchors('Issues: #1 ×3\nPaths: src/a.ts src/b.ts ×2\nErrors:\n- fatal: gone ×4'));
  book.read('src/a.ts and src/b.ts, fatal: gone', true);

  expect(renderAnchors(book.ranked(), 500)).toBe(
    'Issues: #1 ×3\nPaths: src/b.ts ×3 src/a.ts ×2\nErrors:\n- fatal: gone ×5',
  );
});

test('every kind has a place in an index that is too small for all', () => {
  const paths = Array.from({ length: 300 }, (_, index) => `src/module-${index}/file-${index}.ts`).join(' ');
  const text = renderAnchors(
    bookOf([`${paths} #4711 https://example.org/x error: broken pipe`]).ranked(),
    120,
  );

  expect(text).toContain('#4711');
  expect(text).toContain('https://example.org/x');
  expect(text).toContain('error: broken pipe');
  expect(text.length).toBeLessThan(500);
});

test('the index is never longer than 7,000 characters', () => {
  const paths = Array.from(
    { length: 900 },
    (_, index) => `src/a-rather-long-folder-name-${index}/file-${index}.ts`,
  );

  expect(renderAnchors(bookOf([paths.join(' ')]).ranked(), 1_000_000).length).toBeLessThanOrEqual(7_000);
});

test('F7 what is part of a secret is not listed', () => {
  const secret = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
  const text = renderAnchors(
    bookOf([
      `API_KEY=${secret}`,
      'https://ada:hunter2-secret@example.org/repo',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEabc/def+ghi/jkl\n-----END RSA PRIVATE KEY-----',
      'src/kept.ts',
    ]).ranked(),
    500,
  );

  expect(text).toBe('Paths: src/kept.ts');
});

test.each([
  ['slashes', 'a/'],
  ['dots', 'a.b.'],
  ['errors', 'Error: x '],
  ['hex', 'a1b2c3d4'],
  ['links', 'https://x.y/'],
  ['hashes', '#1#2'],
  ['one word', 'abcdefgh'],
])('a megabyte of %s is read in linear time', (_, piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  const start = performance.now();
  anchorsIn(text);

  // Quadratic work on a megabyte takes minutes.
  expect(performance.now() - start).toBeLessThan(2_000);
});

test.each(['.py', '/a.py', 'Error:', '#1', '@a', '12345678:'])(
  'three megabytes of %j without a blank are read in one go, not from every sign anew',
  (unit) => {
    const text = unit.repeat(3_000_000 / unit.length);
    const book = new AnchorBook();
    const before = process.threadCpuUsage();

    book.read(text, true);

    // Every sign anew takes more than ten times as long.
    const { user } = process.threadCpuUsage(before);
    expect(user / 1_000).toBeLessThan(2_000);
  },
);
