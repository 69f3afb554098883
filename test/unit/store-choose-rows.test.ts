import { expect, test } from 'vitest';
import { chooseRows, type WaitingRow } from '../../packages/store/src/turns/choose-rows.ts';

const limits = { maxTexts: 3, maxCharacters: 100_000, maxAttempts: 2, collect: true };

function row(seq: number, change: Partial<WaitingRow> = {}): WaitingRow {
  return {
    seq,
    kind: 'message',
    chatRowId: 1,
    attempts: 0,
    waitMs: 0,
    characters: 10,
    senderId: '42',
    sentAt: new Date('2026-11-29T12:00:00Z'),
    ...change,
  };
}

test('an empty mailbox gives nothing', () => {
  expect(chooseRows([], limits)).toEqual({ kind: 'none' });
});

test('messages of one chat go together up to the limit', () => {
  expect(chooseRows([row(1), row(2), row(3), row(4)], limits)).toEqual({
    kind: 'messages',
    seqs: [1, 2, 3],
    chatRowId: 1,
    senderIds: ['42'],
    beforeSeq: 4,
  });
});

test('another chat ends the input', () => {
  expect(chooseRows([row(1), row(2, { chatRowId: 9 }), row(3)], limits)).toMatchObject({
    seqs: [1],
    beforeSeq: 2,
  });
});

test('a command ends the input and then goes alone', () => {
  const command = row(2, { kind: 'command' });

  expect(chooseRows([row(1), command], limits)).toMatchObject({ kind: 'messages', seqs: [1], beforeSeq: 2 });
  expect(chooseRows([command, row(3)], limits)).toEqual({ kind: 'command', row: command });
});

test('an operator request goes alone too', () => {
  const request = row(1, { kind: 'operator' });

  expect(chooseRows([request], limits)).toEqual({ kind: 'command', row: request });
});

test('a command that was tried too often is poison', () => {
  const command = row(1, { kind: 'command', attempts: 2 });

  expect(chooseRows([command, row(2)], limits)).toEqual({ kind: 'poison', row: command });
});

test('the longest wait among the pieces of an input holds all of them', () => {
  expect(chooseRows([row(1, { waitMs: 200 }), row(2, { waitMs: 900 }), row(3)], limits)).toEqual({
    kind: 'later',
    waitMs: 900,
  });
});

test('a row beyond the input delays nothing', () => {
  expect(chooseRows([row(1), row(2, { chatRowId: 9, waitMs: 900 })], limits)).toMatchObject({
    kind: 'messages',
    seqs: [1],
  });
});

test('a message that could not be taken before goes alone', () => {
  expect(chooseRows([row(1), row(2, { attempts: 1 }), row(3)], limits)).toMatchObject({
    seqs: [1],
    beforeSeq: 2,
  });
  expect(chooseRows([row(2, { attempts: 1 }), row(3)], limits)).toMatchObject({ seqs: [2], beforeSeq: 3 });
});

test('a message that could not be taken too often is poison', () => {
  const message = row(1, { attempts: 2 });

  expect(chooseRows([message, row(2)], limits)).toEqual({ kind: 'poison', row: message });
});

test('what does not fit beside the messages before it waits for the next turn', () => {
  const long = { characters: 60 };
  const small = { ...limits, maxCharacters: 100 };

  expect(chooseRows([row(1), row(2, long), row(3, long)], small)).toMatchObject({
    seqs: [1, 2],
    beforeSeq: 3,
  });
  expect(chooseRows([row(1, { characters: 900 }), row(2)], small)).toMatchObject({ seqs: [1], beforeSeq: 2 });
  expect(chooseRows([row(1), row(2, long), row(3)], small)).toMatchObject({
    seqs: [1, 2, 3],
    beforeSeq: null,
  });
});
