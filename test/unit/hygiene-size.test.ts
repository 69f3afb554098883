import type { RowHeader } from '@palimpsest/core';
import { promptSize } from '@palimpsest/hygiene';
import { expect, test } from 'vitest';

function rows(...entries: readonly [role: RowHeader['role'], tokens: number][]): RowHeader[] {
  return entries.map(([role, tokens], index) => ({
    id: index + 1,
    seq: (index + 1) * 1024,
    role,
    kind: role === 'user' ? 'person' : role,
    tokens,
    sentAt: new Date(0),
    toolCallIds: [],
  }));
}

const fresh = { lastPromptTokens: 0, lastOutputTokens: 0, lastPricedSeq: 0, estimateRatio: 1 };

test('without any count everything is estimated', () => {
  expect(
    promptSize({
      session: fresh,
      headers: rows(['user', 100], ['assistant', 50]),
      overheadTokens: 1_000,
      assembledTokens: 150,
    }),
  ).toEqual({ promptTokens: 1_150, source: 'estimate' });
});

test('the learned ratio of the session corrects the estimate of rows, not of the overhead', () => {
  const session = { ...fresh, estimateRatio: 1.5 };

  expect(
    promptSize({
      session,
      headers: rows(['user', 100], ['assistant', 50]),
      overheadTokens: 1_000,
      assembledTokens: 150,
    }).promptTokens,
  ).toBe(1_225);
});

test('a real count of prompt and answer is taken, with an estimate of what came after', () => {
  const session = { lastPromptTokens: 5_000, lastOutputTokens: 300, lastPricedSeq: 1024, estimateRatio: 2 };
  const headers = rows(['user', 100], ['assistant', 999], ['user', 40]);

  expect(promptSize({ session, headers, overheadTokens: 1_000, assembledTokens: 1_139 })).toEqual({
    promptTokens: 5_380,
    source: 'api',
  });
});

test('an answer whose row the count already covers is not counted twice either', () => {
  const session = { lastPromptTokens: 5_000, lastOutputTokens: 300, lastPricedSeq: 2048, estimateRatio: 1 };
  const headers = rows(['user', 100], ['assistant', 999], ['user', 40]);

  expect(promptSize({ session, headers, overheadTokens: 1_000, assembledTokens: 1_139 }).promptTokens).toBe(
    5_340,
  );
});

test('results of a tool round since the count are added', () => {
  const session = { lastPromptTokens: 5_000, lastOutputTokens: 300, lastPricedSeq: 1024, estimateRatio: 1 };
  const headers = rows(['user', 100], ['assistant', 200], ['tool', 700], ['tool', 60]);

  expect(promptSize({ session, headers, overheadTokens: 1_000, assembledTokens: 1_060 }).promptTokens).toBe(
    6_060,
  );
});

test('where the engine sends less than the live rows, its own size counts', () => {
  const headers = rows(['user', 100], ['assistant', 50]);

  expect(
    promptSize({ session: fresh, headers, overheadTokens: 1_000, assembledTokens: 60 }).promptTokens,
  ).toBe(1_060);
});

test('U1 right after a compaction the old count is not used', () => {
  const session = { lastPromptTokens: -1, lastOutputTokens: 300, lastPricedSeq: 1024, estimateRatio: 1 };

  expect(
    promptSize({ session, headers: rows(['user', 100]), overheadTokens: 1_000, assembledTokens: 100 }),
  ).toEqual({
    promptTokens: 1_100,
    source: 'estimate',
  });
});
