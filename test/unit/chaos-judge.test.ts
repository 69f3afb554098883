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
  unknown: [],
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

  test('takes marked repeats of a reply of unknown fate, and of no other', () => {
    const repeat = '(this may be a repeat)\nanswer to q1 (a0)';
    const unknown = ['answer to q1 (a0)'];

    expect(judged({ shown: [...whole.shown, repeat], unknown })).toEqual([]);
    // The repeat's own answer was lost.
    expect(judged({ shown: [...whole.shown, repeat, repeat], unknown })).toEqual([]);
    expect(judged({ shown: [...whole.shown, repeat], unknown: ['answer to q2 q3 (a1)'] })).toEqual([
      'telegram 1: marked as repeats, and not of unknown fate: a0',
    ]);
  });

  test('takes the beginning of an answer that a dead attempt left, where the reply is of unknown fate', () => {
    const begun = 'answer to q1 (a9). The';
    const answer = 'answer to q1 (a0). The ferry leaves at nine.';
    const chat = { shown: [begun, `(this may be a repeat)\n${answer}`, whole.shown[1]!] };
    const answers = [answer, whole.answers[1]!];

    expect(judged({ ...chat, answers, unknown: [answer] })).toEqual([]);
    expect(judged({ shown: [begun, ...whole.shown] })).toContain(
      'telegram 1: shown, and not in the transcript: a9',
    );
  });

  test('finds an answer to what nobody said', () => {
    const more = 'answer to q9 (a2)';

    expect(judged({ shown: [...whole.shown, more], answers: [...whole.answers, more] })).toEqual([
      'telegram 1: answered, though nobody said it: q9',
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
