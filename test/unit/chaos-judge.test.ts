import { describe, expect, test } from 'vitest';
import { judge } from '../../apps/evals/src/chaos/judge.ts';
import type { ChatRecord } from '../../apps/evals/src/chaos/records.ts';

const whole: ChatRecord = {
  name: 'telegram 1',
  said: ['q1', 'q2', 'q3'],
  shown: ['answer to q1 (a0)', 'answer to q2 q3 (a1)'],
  stored: ['q1', 'q2', 'q3'],
  answers: ['answer to q1 (a0)', 'answer to q2 q3 (a1)'],
  givenUp: [],
  unknown: 0,
};

function judged(chat: Partial<ChatRecord>): string[] {
  return judge({ chats: [{ ...whole, ...chat }], brokenLaws: [], refused: [] });
}

describe('the judge of a chaos run', () => {
  test('finds nothing where every message is answered once, in order', () => {
    expect(judged({})).toEqual([]);
  });

  test('finds a message that nobody answered', () => {
    expect(judged({ said: [...whole.said, 'q4'], stored: [...whole.stored, 'q4'] })).toEqual([
      'telegram 1: never answered: q4',
    ]);
  });

  test('takes a message whose turn was given up and said so', () => {
    expect(judged({ said: [...whole.said, 'q4'], stored: [...whole.stored, 'q4'], givenUp: ['q4'] })).toEqual(
      [],
    );
  });

  test('finds an answer that stands there twice without a mark', () => {
    expect(judged({ shown: [...whole.shown, 'answer to q2 q3 (a1)'] })).toEqual([
      'telegram 1: answered twice without a mark: q2 q3',
    ]);
  });

  test('takes a marked repeat of a reply of unknown fate, and no second one', () => {
    const repeat = '(this may be a repeat)\nanswer to q1 (a0)';

    expect(judged({ shown: [...whole.shown, repeat], unknown: 1 })).toEqual([]);
    expect(judged({ shown: [...whole.shown, repeat, repeat], unknown: 1 })).toEqual([
      'telegram 1: 2 answers are marked as repeats, and 1 are of unknown fate',
    ]);
  });

  test('finds answers out of order', () => {
    expect(judged({ shown: [...whole.shown].reverse() })).toEqual([
      'telegram 1: answered out of order: q2 q3 q1',
    ]);
  });

  test('finds a message that is missing from the transcript, or stands there twice', () => {
    expect(judged({ stored: ['q1', 'q3'] })).toEqual([
      'telegram 1: said q1 q2 q3, and the transcript has q1 q3',
    ]);
    expect(judged({ stored: ['q1', 'q2', 'q2', 'q3'] })).toEqual([
      'telegram 1: said q1 q2 q3, and the transcript has q1 q2 q2 q3',
    ]);
  });

  test('finds an answer that people saw and the transcript lacks, and the other way round', () => {
    expect(judged({ answers: ['answer to q1 (a0)', 'answer to q2 q3 (a2)'] })).toEqual([
      'telegram 1: shown, and not in the transcript: a1',
      'telegram 1: in the transcript, and never shown: a2',
    ]);
  });

  test('passes on what the database and the counterparts say', () => {
    expect(judge({ chats: [], brokenLaws: ['a law'], refused: ['a call'] })).toEqual([
      'a law',
      'refused by a platform or model: a call',
    ]);
  });
});
