import { expect, test } from 'vitest';
import { wordsOf } from '../../apps/cli/src/replay/words-of.ts';

test('an answer is recognised whether its Markdown is escaped, shown as form or left as it is', () => {
  expect(wordsOf('It\\`s **so** cute\n- a dog')).toBe('Itssocuteadog');
  expect(wordsOf('It`s so cute\n• a dog')).toBe('Itssocuteadog');
  expect(wordsOf('It is so cute')).not.toBe(wordsOf('It`s so cute'));
});
