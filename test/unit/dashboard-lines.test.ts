import { expect, test } from 'vitest';

/** Browser code is plain JavaScript, so its shapes are written here as far as the tests use them. */
interface Line {
  id: string;
  role: string;
  kind: string;
  text: string;
  at: string;
  messageId?: string;
}
interface Item {
  id: string;
  text: string;
  edits: string | null;
  afterLine: string | null;
  at: string;
  state: string;
  lineId: string | null;
}
interface View {
  key: string;
  kind: string;
  text: string;
  state: string;
  edited?: boolean;
}
const pages = new URL('../../apps/dashboard/src/pages/', import.meta.url);
const { matchItems, shownLines, editable, isOwed } = (await import(new URL('chat-lines.js', pages).href)) as {
  matchItems(lines: Line[], items: Item[]): [string, string][];
  shownLines(lines: Line[], items: Item[], complete: boolean): View[];
  editable(shown: View[]): View | null;
  isOwed(shown: View[]): boolean;
};
const at = '2026-01-01T00:00:00Z';

function person(id: string, text: string): Line {
  return { id, role: 'user', kind: 'person', text, at };
}

function answer(id: string, text: string): Line {
  return { id, role: 'assistant', kind: 'assistant', text, at };
}

function item(fields: Partial<Item>): Item {
  return {
    id: 'w1',
    text: 'hello',
    edits: null,
    afterLine: null,
    at,
    state: 'sent',
    lineId: null,
    ...fields,
  };
}

function texts(shown: View[]): string[] {
  return shown.map((view) => view.text);
}

test('a typed message becomes the line of the same text below where it was typed, not an older one', () => {
  const lines = [person('m1', 'yes'), answer('m2', 'fine'), person('m3', 'yes')];

  expect(matchItems(lines, [item({ text: 'yes', afterLine: 'm2' })])).toEqual([['w1', 'm3']]);
  expect(matchItems(lines.slice(0, 2), [item({ text: 'yes', afterLine: 'm2' })])).toEqual([]);
});

test('two equal messages become two lines', () => {
  const items = [item({ id: 'w1', text: 'yes' }), item({ id: 'w2', text: 'yes' })];

  expect(matchItems([person('m1', 'yes'), person('m2', 'yes')], items)).toEqual([
    ['w1', 'm1'],
    ['w2', 'm2'],
  ]);
});

test("where the history has the page's id, it decides", () => {
  const lines = [
    { ...person('m1', 'hello'), messageId: 'other' },
    { ...person('m2', 'hello'), messageId: 'w1' },
  ];

  expect(matchItems(lines, [item({})])).toEqual([['w1', 'm2']]);
});

test('a message not yet in the history stands below the line it was typed under, an unsent one at the end', () => {
  const lines = [person('m1', 'a'), answer('m2', 'b'), { ...answer('reply-3', 'status'), kind: 'notice' }];
  const items = [
    item({ id: 'w1', text: '/status', afterLine: 'm2' }),
    item({ id: 'w2', text: 'unsent', afterLine: 'm1', state: 'unsent' }),
  ];

  expect(texts(shownLines(lines, items, true))).toEqual(['a', 'b', '/status', 'status', 'unsent']);
});

test('a message older than the shown part of the history is not shown out of place', () => {
  const items = [
    item({ id: 'w1', text: 'old', afterLine: null }),
    item({ id: 'w2', text: 'older', afterLine: 'm0' }),
  ];

  expect(texts(shownLines([answer('m9', 'new')], items, false))).toEqual(['new']);
});

test('an edit shows the new text in the old place', () => {
  const items = [item({ lineId: 'm1' }), item({ id: 'w2', text: 'hello there', edits: 'w1' })];

  expect(shownLines([person('m1', 'hello'), answer('m2', 'hi')], items, true)).toMatchObject([
    { text: 'hello there', edited: true },
    { text: 'hi' },
  ]);
});

test('the last own message may be edited, a command or an unsent one may not', () => {
  expect(editable(shownLines([], [item({})], true))).toMatchObject({ text: 'hello' });
  expect(editable(shownLines([], [item({ text: '/status' })], true))).toBeNull();
  expect(editable(shownLines([], [item({ state: 'unsent' })], true))).toBeNull();
});

test('an answer is owed while the last word is a committed one of the person', () => {
  expect(isOwed(shownLines([person('m1', 'hi')], [], true))).toBe(true);
  expect(isOwed(shownLines([person('m1', 'hi'), answer('m2', 'ho')], [], true))).toBe(false);
  expect(isOwed(shownLines([], [item({ state: 'unsent' })], true))).toBe(false);
});

test('what the service says is a notice without its mark, whatever kind its row has', () => {
  expect(shownLines([answer('m1', '\u2139\uFE0F Stopped.')], [], true)).toMatchObject([
    { kind: 'notice', text: 'Stopped.' },
  ]);
});
