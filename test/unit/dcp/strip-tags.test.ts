import { expect, test } from 'vitest';
import { stripTagMarks, stripTags } from '../../../packages/engines/src/dcp/transform/strip-tags.ts';
import { DcpWorld, linesOf } from '../../support/dcp-world.ts';

test.each([
  ['The answer.\n[m0042]', 'The answer.'],
  ['The answer. [m0042 high]', 'The answer.'],
  ['One line [m0001]\nand another\n[b3]', 'One line \nand another'],
  ['Before <dcp-reminder>call compress</dcp-reminder>after', 'Before after'],
  ['A <dcp-note kind="x"> lonely one', 'A  lonely one'],
  ['Text</dcp-reminder>', 'Text'],
  ['Half a mark\n[m00', 'Half a mark'],
  ['Half a tag <dcp-rem', 'Half a tag'],
  ['{"startId": "m0001", "endId": m0009</parameter>', '{"startId": "m0001", "endId":'],
])('what a model copied from its prompt is taken out of its words: %j', (text, clean) => {
  expect(stripTags(text)).toBe(clean);
});

test.each(['Plain.', 'See [m0042] in the middle.', 'a <b>bold</b> word', 'Item [b3] of the list', ''])(
  'words of the model that only look alike stay: %j',
  (text) => {
    expect(stripTags(text)).toBe(text);
  },
);

test('in the words of a person only the tags go, never what stands between them', () => {
  expect(stripTagMarks('what is <dcp-reminder>this</dcp-reminder>?')).toBe('what is this?');
});

test('a text full of tags that never close is done in a moment', () => {
  const text = `${'<dcp-a>'.repeat(20_000)}${' '.repeat(50_000)}[m0001`;
  const startedAt = performance.now();

  expect(stripTags(text)).toBe('[m0001');
  expect(performance.now() - startedAt).toBeLessThan(500);
});

test('a mark that the model wrote itself does not come back to it', async () => {
  const world = new DcpWorld();
  world.say('hello');
  world.answer('Hi!\n[m0002]\n<dcp-reminder>compress</dcp-reminder>');
  world.say('more');

  expect(linesOf(await world.prompt())[1]).toBe('assistant: Hi!\n[m0002]');
  expect(world.engine.cleanAnswer!('Hi!\n[m0002]')).toBe('Hi!');
});
