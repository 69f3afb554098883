import { expect, test } from 'vitest';
import { exploreText } from '../../../packages/engines/src/lcm/explore-text.ts';

test.each([
  [
    '{"name": "x", "items": [{"id": 1}, {"id": 2}]}',
    'json',
    'JSON: an object with name, items (a list of 2: an object with id)',
  ],
  ['{"a": 1}\n{"a": 2}', 'json', '2 lines of JSON, the first: an object with a'],
  ['id,name\n1,a\n2,b\n3,c', 'table', 'Table of 3 rows with the columns id,name'],
  ['<?xml version="1.0"?>\n<root><item/><item/></root>', 'markup', 'Markup <root> with 2 × item, 1 × root'],
  [
    'import { a } from "b";\nexport function one() {}\nclass Two {}\nfunction three() {}',
    'code',
    'Code with 3 definitions: export function one() {} · class Two {} · function three() {}\nimports: import { a } from "b";',
  ],
  ['server:\n  port: 1\n  host: x\nname: y', 'yaml', 'YAML with the keys server, name'],
  [
    '# Title\nSome words.\n\nThe end.',
    'text',
    'Text of 3 lines. Begins: # Title\nEnds: The end.\nheadings: # Title',
  ],
] as const)('%j is described as %s', (text, kind, summary) => {
  expect(exploreText(text)).toEqual({ kind, summary });
});

test('a description is short and holds no secret', () => {
  const { summary } = exploreText(
    `the key is sk-abcdefghijklmnopqrstuvwxyz123456 ${'long words '.repeat(5_000)}`,
  );

  expect(summary.length).toBeLessThanOrEqual(1_200);
  expect(summary).not.toContain('ghijklmnop');
});
