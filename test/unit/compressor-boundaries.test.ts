import { expect, test } from 'vitest';
import {
  findBoundaries,
  type BoundaryLimits,
} from '../../packages/engines/src/compressor/find-boundaries.ts';
import { groupRows } from '../../packages/engines/src/compressor/group-rows.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  syntheticRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const roomy: BoundaryLimits = {
  level: 'normal',
  headTokens: 10_000,
  tailTokens: 200,
  floorTokens: 10_000,
  protectLastN: 4,
  minTailUserMessages: 1,
};

function boundariesOf(transcript: MemoryTranscript, changes: Partial<BoundaryLimits> = {}) {
  return findBoundaries(transcript.rows, groupRows(transcript.rows), { ...roomy, ...changes });
}

/** user, answer, user, answer … of about `tokens` each. */
function chat(exchanges: number, tokens = 100): MemoryTranscript {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < exchanges; index++) {
    transcript.append(userRow(words(tokens)));
    transcript.append(answerRow(words(tokens)));
  }
  return transcript;
}

test('the head is the first exchange', () => {
  expect(boundariesOf(chat(10)).headEnd).toBe(2);
});

test('the head takes the first step of the answer with all its results', () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('set it up'));
  transcript.append(callRow([{ id: 'a' }, { id: 'b' }]));
  transcript.append(resultRow('b', 'ok'));
  transcript.append(resultRow('a', 'ok'));
  for (let index = 0; index < 10; index++) transcript.append(answerRow(words(100)));

  expect(boundariesOf(transcript).headEnd).toBe(4);
});

test('several messages before the first answer are one opening', () => {
  const transcript = new MemoryTranscript();
  for (const text of ['hello', 'are you there?']) transcript.append(userRow(text));
  for (let index = 0; index < 10; index++) transcript.append(answerRow(words(100)));

  expect(boundariesOf(transcript).headEnd).toBe(3);
});

test('P5 the row floor wins over a tiny token budget', () => {
  const { tailStart } = boundariesOf(chat(20), { tailTokens: 1, protectLastN: 8 });

  expect(40 - tailStart).toBe(8);
});

test('the token budget keeps more rows than the floor where they fit', () => {
  // Rows of 100 words cost some 108 tokens each: nine fit 1,000 tokens.
  const { tailStart } = boundariesOf(chat(20), { tailTokens: 1_000, protectLastN: 4 });

  expect(40 - tailStart).toBe(9);
});

test('the floor shrinks where its rows do not fit, never below the last complete exchange', () => {
  const shrunk = boundariesOf(chat(20), { tailTokens: 1, protectLastN: 20, floorTokens: 500 });
  const least = boundariesOf(chat(20), { tailTokens: 1, protectLastN: 20, floorTokens: 10 });

  expect([40 - shrunk.tailStart, 40 - least.tailStart, least.carried]).toEqual([4, 1, [38]]);
});

test('P6 nine messages with a small head can be compressed', () => {
  const transcript = chat(4);
  transcript.append(userRow('and now?'));

  const { headEnd, tailStart } = boundariesOf(transcript, { protectLastN: 20 });

  expect([headEnd, tailStart]).toEqual([2, 4]);
});

test('B1 a tool group at the cut stays on one side, parallel calls too', () => {
  const transcript = chat(10);
  transcript.append(callRow([{ id: 'a' }, { id: 'b' }]));
  transcript.append(resultRow('a', words(100)));
  transcript.append(resultRow('b', words(100)));
  transcript.append(answerRow('done'));

  const { tailStart } = boundariesOf(transcript, { tailTokens: 150, protectLastN: 1, floorTokens: 50 });
  const unit = groupRows(transcript.rows).find((group) => group.start === 20);

  expect([unit?.end, tailStart]).toEqual([23, 23]);
});

test('a call in flight is in the tail whatever it costs', () => {
  const transcript = chat(10);
  transcript.append(callRow([{ id: 'a', args: JSON.stringify({ text: words(3_000) }) }]));

  expect(boundariesOf(transcript, { tailTokens: 10, floorTokens: 10 }).tailStart).toBe(20);
});

test('a call id that comes again belongs to the nearest call before its result', () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 3; index++) {
    transcript.append(callRow([{ id: 'call_0' }]));
    transcript.append(resultRow('call_0', 'ok'));
  }

  expect(groupRows(transcript.rows).map(({ start, end }) => [start, end])).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
  ]);
});

test('B2 the newest message of the person ends in the tail', () => {
  const transcript = chat(5);
  transcript.append(userRow('do the long task'));
  for (let index = 0; index < 6; index++) {
    transcript.append(callRow([{ id: `c${index}` }]));
    transcript.append(resultRow(`c${index}`, words(100)));
  }

  expect(boundariesOf(transcript, { protectLastN: 2 }).tailStart).toBe(8);
});

test('B2 a turn that is too long to keep is cut, and its message stays live on its own', () => {
  const transcript = chat(5);
  transcript.append(userRow('do the long task'));
  for (let index = 0; index < 60; index++) {
    transcript.append(callRow([{ id: `c${index}` }]));
    transcript.append(resultRow(`c${index}`, words(100)));
  }

  const { tailStart, carried } = boundariesOf(transcript, { protectLastN: 4, floorTokens: 1_000 });

  expect([tailStart, carried]).toEqual([127, [8, 9, 10]]);
});

test('B3 notes of ours do not count as messages of the person', () => {
  const transcript = chat(5);
  transcript.append(syntheticRow('[continue]'));
  for (let index = 0; index < 8; index++) transcript.append(answerRow(words(100)));

  const { tailStart } = boundariesOf(transcript, { protectLastN: 2, floorTokens: 300 });

  expect(tailStart).toBe(17);
});

test('min_tail_user_messages keeps that many messages of the person', () => {
  expect(boundariesOf(chat(20), { protectLastN: 1, minTailUserMessages: 5 }).tailStart).toBe(30);
});

test('level bare keeps only the newest message of the person and a call in flight', () => {
  const transcript = chat(5);
  transcript.append(callRow([{ id: 'a' }]));

  expect(boundariesOf(transcript, { level: 'bare' })).toEqual({ headEnd: 0, tailStart: 10, carried: [8] });
});

test('an opening that costs more than its limit is no head', () => {
  expect([
    boundariesOf(chat(10), { headTokens: 150 }).headEnd,
    boundariesOf(chat(10), { headTokens: 50 }).headEnd,
  ]).toEqual([1, 0]);
});
