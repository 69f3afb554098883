import { estimateTokens } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { deterministicSummary } from '../../packages/engines/src/compressor/deterministic-summary.ts';
import { planFor } from '../support/compress.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  syntheticRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';

function summaryOf(transcript: MemoryTranscript, changes: { previous?: string; capTokens?: number } = {}) {
  const bodies = new Map(transcript.rows.map((row) => [row.id, row]));
  return deterministicSummary({ rows: transcript.rows, bodies, previous: '', capTokens: 4_000, ...changes });
}

test('it tells the newest request, actions with outcome, files, what failed and the last turns', () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('Make the tests of src/api.py pass'));
  transcript.append(
    callRow([
      { id: 'a', name: 'read_file', args: '{"path":"tests/test_api.py"}' },
      { id: 'b', args: '{"command":"pytest"}' },
    ]),
  );
  transcript.append(resultRow('a', 'import pytest'));
  transcript.append(resultRow('b', '2 failed', true));
  transcript.append(answerRow('Two fixtures are wrong.'));

  expect(summaryOf(transcript).body).toBe(`## Task Snapshot (historical)
Make the tests of src/api.py pass

## Completed Actions
1. read_file {"path":"tests/test_api.py"} → import pytest
2. terminal {"command":"pytest"} → failed: 2 failed

## Relevant Files
- tests/test_api.py

## Blocked
- terminal: 2 failed

## Last Turns
User: Make the tests of src/api.py pass
Assistant: Two fixtures are wrong.`);
});

test('it keeps an earlier summary one level down', () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('go on'));

  expect(summaryOf(transcript, { previous: '## Goal\nship it' }).body).toContain(
    '## Earlier Summary\n### Goal\nship it',
  );
});

test('B3 B4 a range of notes of ours has no task snapshot', () => {
  const transcript = new MemoryTranscript();
  transcript.append(syntheticRow('[continue]'));
  transcript.append(syntheticRow('[todo list]'));

  expect(summaryOf(transcript)).toEqual({ body: 'Nothing in these turns was in words.', mentionedRows: 0 });
});

test('it never passes 8,000 characters nor its cap, however long the turns are', () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 40; index++) {
    transcript.append(userRow(words(2_000)));
    transcript.append(callRow([{ id: `c${index}`, args: JSON.stringify({ text: words(500) }) }]));
    transcript.append(resultRow(`c${index}`, words(500), true));
    transcript.append(answerRow('漢字'.repeat(2_000)));
  }
  const roomy = summaryOf(transcript, { previous: words(5_000), capTokens: 20_000 }).body;
  const small = summaryOf(transcript, { previous: words(5_000), capTokens: 640 }).body;
  const tiny = summaryOf(transcript, { previous: words(5_000), capTokens: 30 }).body;

  expect(roomy.length).toBeLessThanOrEqual(8_000);
  expect(roomy.length).toBeGreaterThan(3_000);
  expect([estimateTokens(small) <= 640, estimateTokens(small) > 200, estimateTokens(tiny) <= 30]).toEqual([
    true,
    true,
    true,
  ]);
});

test('rows without a line of their own are counted', async () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 30; index++) {
    transcript.append(userRow(`question ${index} ${words(100)}`));
    transcript.append(answerRow(`answer ${index} ${words(100)}`));
  }

  const { figures } = await planFor(transcript, { windowTokens: 200_000, mode: 'local', force: true });

  // 60 rows less 2 of the head, 20 of the tail and the answer right before it; the last 8 turns have a line.
  expect([figures.rowsArchived, figures.rowsDroppedWithoutSummary]).toEqual([37, 29]);
});

test('the same rows give the same text', () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 10; index++) transcript.append(userRow(`question ${index}`));

  expect(summaryOf(transcript)).toEqual(summaryOf(transcript));
});
