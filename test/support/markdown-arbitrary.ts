/** Documents as models write them, whole and broken, for tests over many of them. */
import fc from 'fast-check';

const words = fc.constantFrom(
  ...'word snake_case Straße naïve 漢字 שלום مرحبا 😀 👩‍👩‍👧‍👦 🇩🇪 é x² 3.14 C++ a*b <b> @everyone <@123> #tag foo:bar'.split(
    ' ',
  ),
  // With a word behind it: what is glued to an address belongs to it on one platform and not on the other.
  'https://example.com/a_b?c=(d) ok',
  '10 - 2',
);
const plain = fc.array(words, { minLength: 1, maxLength: 12 }).map((list) => list.join(' '));

const inline = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    plain,
    tie('node').map((text) => `**${text}**`),
    tie('node').map((text) => `*${text}*`),
    tie('node').map((text) => `_${text}_`),
    tie('node').map((text) => `~~${text}~~`),
    tie('node').map((text) => `||${text}||`),
    tie('node').map((text) => `[${text}](https://example.com/path_(x))`),
    plain.map((text) => `\`${text}\``),
    fc.constantFrom(
      '`` a ` b ``',
      '[x](tg://user?id=5)',
      '\\*',
      '&amp;',
      '![pic](https://e.org/p.png)',
      '<https://e.org> ok',
    ),
    fc.tuple(tie('node'), tie('node')).map((pair) => pair.join(' ')),
    fc.tuple(tie('node'), tie('node')).map((pair) => pair.join('')),
  ),
})).node;

const lines = fc.array(inline, { minLength: 1, maxLength: 5 }).map((list) => list.join('\n'));
const language = fc.constantFrom('', 'ts', 'c++', 'js title="a"');
const code = fc.array(fc.oneof(plain, fc.constantFrom('', '    deep', '```', '`', '~~~', '# x', '\tx')), {
  maxLength: 30,
});
const fence = fc
  .tuple(fc.constantFrom('```', '~~~', '````'), language, code)
  .map(([mark, name, body]) =>
    [mark + name, ...body.filter((line) => !line.startsWith(mark)), mark].join('\n'),
  );
const table = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(inline, { minLength: 2, maxLength: 12 }))
  .map(([columns, cells]) => {
    const row = (list: readonly string[]): string =>
      `| ${list.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    const rows = cells.flatMap((_, at) => (at % columns === 0 ? [row(cells.slice(at, at + columns))] : []));
    return [rows[0], row(Array.from({ length: columns }, () => ':-:')), ...rows.slice(1)].join('\n');
  });

const indent = (text: string, by: string): string => text.split('\n').join(`\n${by}`);
const block = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    lines,
    fence,
    table,
    fc.constant('---'),
    fc.tuple(fc.integer({ min: 1, max: 6 }), inline).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
    fc
      .array(tie('node'), { minLength: 1, maxLength: 4 })
      .map((list) => list.map((item) => `- ${indent(item, '  ')}`).join('\n')),
    fc
      .array(tie('node'), { minLength: 1, maxLength: 4 })
      .map((list) => list.map((item, at) => `${at + 1}. ${indent(item, '   ')}`).join('\n')),
    inline.map((text) => `- [x] ${text}\n- [ ] ${text}`),
    tie('node').map((text) => `> ${indent(text, '> ')}`),
  ),
})).node;

const junk = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.array(fc.constantFrom(...'*_~`|[]()<>#-+.\\ \n!@:1ab'), { maxLength: 40 }).map((list) => list.join('')),
  fc.constantFrom(
    '```ts\nnever closed',
    '**open',
    '> ',
    '1. ',
    '\n\n',
    '    indented',
    '||',
    '[a]: https://e.org',
  ),
  fc.integer({ min: 1, max: 3000 }).map((length) => 'x'.repeat(length)),
);

/** Mostly a few blocks, now and then enough of them for several messages. */
const few = { minLength: 1, maxLength: 4, size: 'max' } as const;
const many = { minLength: 5, maxLength: 25, size: 'max' } as const;

function several(one: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(one, few) },
    { weight: 1, arbitrary: fc.array(one, many) },
  );
}

/** What models write: blocks of every kind, inside of each other. */
const whole = several(block).map((blocks) => blocks.join('\n\n'));

/** The same with things that no one means to write. */
const broken = several(fc.oneof(block, junk, junk)).chain((blocks) =>
  fc.constantFrom('\n\n', '\n', '').map((between) => blocks.join(between)),
);

export const markdownDocuments = fc.oneof(whole, broken);
