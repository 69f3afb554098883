import { textOfParts } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { planFor } from '../support/compress.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const windowTokens = 8_000;

function chat(exchanges: number): MemoryTranscript {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < exchanges; index++) {
    transcript.append(userRow(`question ${index} ${words(100)}`));
    transcript.append(answerRow(`answer ${index} ${words(100)}`));
  }
  return transcript;
}

test('a session at twice the window gets a plan that fits', async () => {
  const transcript = chat(75);

  const plan = await planFor(transcript, { windowTokens });

  expect(plan.figures.tokensBefore).toBeGreaterThan(16_000);
  expect(plan.figures.tokensAfter).toBeLessThan(6_000);
});

test('over-long tool results of the newest step are cleared when nothing less fits', async () => {
  const transcript = chat(3);
  const question = transcript.append(userRow('read the two files'));
  transcript.append(callRow([{ id: 'a' }, { id: 'b' }]));
  const results = [
    transcript.append(resultRow('a', words(6_000))),
    transcript.append(resultRow('b', words(2_000))),
  ];

  const plan = await planFor(transcript, { windowTokens });

  expect(plan.figures.tokensAfter).toBeLessThan(7_200);
  expect(plan.archive).toContain(results[0]!.id);
  expect(plan.archive).not.toContain(results[1]!.id);
  expect(plan.archive).not.toContain(question.id);
});

test('an over-long newest message of the person stays, everything else is archived for it', async () => {
  const transcript = chat(8);
  const newest = transcript.append(userRow(words(5_200)));

  const plan = await planFor(transcript, { windowTokens });
  transcript.apply(plan);

  expect(plan.figures.tokensAfter).toBeLessThan(7_200);
  expect(transcript.rows.some((row) => row.id === newest.id || row.replaces === newest.id)).toBe(true);
});

test('four over-long rows in a row do not keep the prompt over the limit', async () => {
  const transcript = chat(2);
  for (let index = 0; index < 4; index++)
    transcript.append(index % 2 === 0 ? userRow(words(1_900)) : answerRow(words(1_900)));
  transcript.append(userRow('and?'));

  const plan = await planFor(transcript, { windowTokens });

  expect(plan.figures.tokensAfter).toBeLessThan(7_200);
});

test('the texts of a compaction are read in one go', async () => {
  const transcript = chat(30);
  await planFor(transcript, { windowTokens });

  expect(transcript.bodyReads).toBe(1);
});

test('figures count what the plan does', async () => {
  const transcript = chat(30);

  const plan = await planFor(transcript, {
    windowTokens,
    promptTokens: 8_000,
    promptTokensSource: 'estimate',
  });
  transcript.apply(plan);

  const { figures } = plan;
  expect(figures).toMatchObject({
    tokensBefore: 8_000,
    tokensBeforeSource: 'estimate',
    rowsBefore: 60,
    rowsDroppedWithoutSummary: 0,
    summaryCalls: 1,
  });
  expect([figures.rowsAfter, figures.rowsArchived + figures.rowsProtected]).toEqual([
    transcript.rows.length,
    60,
  ]);
  expect(textOfParts(plan.write[0]!.parts)).toContain('set up the project');
});
