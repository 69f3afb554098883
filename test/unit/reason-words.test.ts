import { expect, test } from 'vitest';
import { reasonWords } from '../../apps/cli/src/access/reason-words.ts';

/** Everything that the intake writes down as a reason, and what a command does to what waits. */
const reasons = [
  'not_allowlisted',
  'denied_by_operator',
  'chat_not_allowed',
  'not_addressed',
  'ignored_chat',
  'bot_author',
  'bot_loop',
  'own_message',
  'mailbox_full',
  'no_text',
  'unsupported_kind',
  'poison',
  'taken_back',
];

test.each(reasons)('an operator reads what became of a message as a sentence: %s', (reason) => {
  expect(reasonWords(reason)).toMatch(/\w+ \w+ \w+/);
  expect(reasonWords('never_heard_of')).toBe('never_heard_of');
});
