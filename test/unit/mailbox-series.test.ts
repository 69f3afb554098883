/** Which messages are pieces of one, and what that means for what is taken together. */
import { seriesHeads } from '@palimpsest/core';
import { describe, expect, test } from 'vitest';
import { chooseRows, type WaitingRow } from '../../packages/store/src/turns/choose-rows.ts';

const minute = Date.parse('2026-11-29T12:00:00Z');

function said(second: number, series?: string, senderId = '42') {
  return { senderId, sentAt: new Date(minute + second * 1000), series };
}

describe('the pieces of one message', () => {
  test('a cut text goes on to its last piece, of whatever length, and no further', () => {
    const pieces = [said(0, 'text'), said(0, 'text'), said(1), said(4)];

    expect(seriesHeads(pieces)).toEqual([0, 0, 0, 3]);
  });

  test('a piece shorter than the limit in the middle of a paste parts nothing', () => {
    expect(seriesHeads([said(0, 'text'), said(0), said(1, 'text'), said(1)])).toEqual([0, 0, 0, 0]);
  });

  test('whoever writes a minute later writes another message', () => {
    expect(seriesHeads([said(0, 'text'), said(60)])).toEqual([0, 1]);
  });

  test('an album ends where another begins, however soon', () => {
    const pieces = [said(0, 'album:7'), said(0, 'album:7'), said(0, 'album:8'), said(0)];

    expect(seriesHeads(pieces)).toEqual([0, 0, 2, 3]);
  });

  test('parts of an album belong together also when they arrive long after each other', () => {
    expect(seriesHeads([said(0, 'album:7'), said(30, 'album:7')])).toEqual([0, 0]);
  });

  test('forwards sent together are one, what is said to them is another', () => {
    expect(seriesHeads([said(0), said(0, 'forwards'), said(0, 'forwards'), said(1)])).toEqual([0, 1, 1, 3]);
  });

  test('another person ends it', () => {
    const pieces = [said(0, 'text'), said(0, undefined, '43'), said(0)];

    expect(seriesHeads(pieces)).toEqual([0, 1, 2]);
  });

  test('nothing is in no series', () => {
    expect(seriesHeads([])).toEqual([]);
  });
});

describe('what is taken', () => {
  const collect = { maxTexts: 3, maxCharacters: 100_000, maxAttempts: 2, collect: true };
  const oneByOne = { ...collect, collect: false };

  function row(seq: number, change: Partial<WaitingRow> = {}): WaitingRow {
    return {
      seq,
      kind: 'message',
      chatRowId: 1,
      attempts: 0,
      waitMs: 0,
      characters: 10,
      ...said(0),
      ...change,
    };
  }

  test('one message after the other, unless they are pieces of one', () => {
    const paste = [row(1, { series: 'text' }), row(2), row(3, said(9))];

    expect(chooseRows([row(1), row(2)], oneByOne)).toMatchObject({ seqs: [1], beforeSeq: 2 });
    expect(chooseRows(paste, oneByOne)).toMatchObject({ seqs: [1, 2], beforeSeq: 3 });
    expect(chooseRows(paste.slice(0, 2), oneByOne)).toMatchObject({ seqs: [1, 2], beforeSeq: null });
  });

  test('one after the other, none waits for what may still grow behind it', () => {
    const growing = row(2, { series: 'text', waitMs: 900 });

    expect(chooseRows([row(1), growing], oneByOne)).toMatchObject({ kind: 'messages', seqs: [1] });
    expect(chooseRows([growing], oneByOne)).toEqual({ kind: 'later', waitMs: 900 });
  });

  test('an album that does not fit goes whole into the next turn', () => {
    const rows = [row(1), row(2, { series: 'album:7' }), row(3, { series: 'album:7' })];

    expect(chooseRows([...rows, row(4, { series: 'album:7' })], collect)).toMatchObject({
      seqs: [1],
      beforeSeq: 2,
    });
    expect(chooseRows(rows, collect)).toMatchObject({ seqs: [1, 2, 3], beforeSeq: null });
  });

  test('a paste longer than a turn takes is cut where it must', () => {
    const pieces = [1, 2, 3, 4, 5].map((seq) => row(seq, { series: 'text' }));

    expect(chooseRows(pieces, collect)).toMatchObject({ seqs: [1, 2, 3], beforeSeq: 4 });
    expect(chooseRows(pieces, oneByOne)).toMatchObject({ seqs: [1, 2, 3], beforeSeq: 4 });
  });
});
