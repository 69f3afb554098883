import { type SummaryAnswer } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { askFor, noon, planFor } from '../support/compress.ts';
import {
  aSession,
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  ScriptedSummariser,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const windowTokens = 8_000;

function chat(exchanges: number, session = aSession()): MemoryTranscript {
  const transcript = new MemoryTranscript(session);
  for (let index = 0; index < exchanges; index++) {
    transcript.append(userRow(`question ${index} ${words(100)}`));
    transcript.append(answerRow(`answer ${index} ${words(100)}`));
  }
  return transcript;
}

function failing(
  policy: 'abort' | 'local',
  changes: Partial<Extract<SummaryAnswer, { kind: 'failed' }>> = {},
): ScriptedSummariser {
  return new ScriptedSummariser([
    {
      kind: 'failed',
      reason: 'summary_timeout',
      policy,
      cooldownMs: 60_000,
      message: 'too slow',
      ...changes,
    },
  ]);
}

test('a failure with policy abort keeps the transcript and starts a rest', async () => {
  const result = await askFor(chat(30), {
    windowTokens,
    summariser: failing('abort', { reason: 'summary_auth' }),
  });

  expect(result).toMatchObject({
    kind: 'none',
    outcome: 'failed',
    reason: 'summary_auth',
    cooldownMs: 60_000,
    summaryCalls: 1,
    summaryModel: 'summary-model',
  });
});

test('a failure with policy local gives the deterministic summary, a rest and the reason', async () => {
  const plan = await planFor(chat(30), { windowTokens, summariser: failing('local') });

  expect(plan).toMatchObject({
    outcome: 'deterministic',
    reason: 'summary_timeout',
    cooldownMs: 60_000,
    figures: { escalation: 'deterministic', summaryCalls: 1 },
  });
});

test('abort_on_summary_failure keeps the transcript at every failure', async () => {
  const result = await askFor(chat(30), {
    windowTokens,
    summariser: failing('local'),
    config: { abort_on_summary_failure: true },
  });

  expect(result).toMatchObject({
    kind: 'none',
    outcome: 'failed',
    reason: 'summary_timeout',
    cooldownMs: 60_000,
  });
});

test.each([
  '',
  '   \n',
  '<think>only thoughts</think>',
  '[CONTEXT COMPACTION] Earlier turns were compacted to save context space.',
  'I’m sorry, I cannot help with that.',
])('F1 an answer without a summary (%j) aborts with a rest, no row is written', async (answer) => {
  const result = await askFor(chat(30), { windowTokens, summariser: new ScriptedSummariser([answer]) });

  expect(result).toMatchObject({
    kind: 'none',
    outcome: 'failed',
    reason: 'summary_empty',
    cooldownMs: 30_000,
  });
});

test('F3 in a rest after a failure the model is not asked', async () => {
  const summariser = new ScriptedSummariser();
  const resting = chat(30, aSession({ cooldownUntil: new Date(noon.getTime() + 1_000) }));

  const result = await askFor(resting, { windowTokens, summariser, promptTokens: 6_500 });

  expect([result, summariser.requests.length]).toMatchObject([
    { kind: 'none', outcome: 'skipped', reason: 'cooldown' },
    0,
  ]);
});

test('F3 in a rest at the hard limit the deterministic summary makes room', async () => {
  const summariser = new ScriptedSummariser();
  const resting = chat(30, aSession({ cooldownUntil: new Date(noon.getTime() + 1_000) }));

  const plan = await planFor(resting, { windowTokens, summariser, promptTokens: 7_300 });

  expect([plan.outcome, summariser.requests.length]).toEqual(['deterministic', 0]);
});

test('F8 a manual /compress in a rest asks the model once', async () => {
  const summariser = new ScriptedSummariser();
  const resting = chat(30, aSession({ cooldownUntil: new Date(noon.getTime() + 1_000) }));

  const plan = await planFor(resting, {
    windowTokens,
    summariser,
    force: true,
    layer: 'manual',
    trigger: 'manual',
  });

  expect([plan.outcome, summariser.requests.length]).toEqual(['success', 1]);
});

test('F4 a summary takes exactly one call', async () => {
  const summariser = new ScriptedSummariser();
  await planFor(chat(30), { windowTokens, summariser });

  expect(summariser.requests).toHaveLength(1);
});

test('a summariser whose window is smaller than stated is asked again with smaller requests', async () => {
  const tooSmall: SummaryAnswer = {
    kind: 'failed',
    reason: 'summary_context_too_small',
    policy: 'local',
    cooldownMs: 60_000,
    message: 'window',
  };
  const summariser = new ScriptedSummariser([tooSmall, '## Goal\nfits'], 12_000);

  const plan = await planFor(chat(30), { windowTokens, summariser });

  expect(plan.outcome).toBe('success');
  expect(summariser.requests[1]!.prompt.length).toBeLessThan(summariser.requests[0]!.prompt.length);
});

test('mode local asks no model', async () => {
  const summariser = new ScriptedSummariser();

  const plan = await planFor(chat(30), { windowTokens, summariser, mode: 'local' });

  expect([plan.outcome, plan.reason, plan.summaryModel, summariser.requests.length]).toEqual([
    'deterministic',
    'none',
    null,
    0,
  ]);
});

test('mode prune clears long tool results outside of head and tail, and nothing else', async () => {
  const transcript = chat(2);
  transcript.append(callRow([{ id: 'long' }, { id: 'short' }]));
  const long = transcript.append(resultRow('long', words(300)));
  transcript.append(resultRow('short', 'ok'));
  for (const row of chat(30).rows) transcript.append(row);

  const plan = await planFor(transcript, { windowTokens, mode: 'prune' });

  expect(plan).toMatchObject({
    outcome: 'fallback_trim',
    archive: [long.id],
    figures: { toolResultsPruned: 1, summaryCalls: 0, rowsBefore: 67, rowsAfter: 67 },
  });
  expect(plan.write).toMatchObject([{ role: 'tool', place: { kind: 'replaces', rowId: long.id } }]);
  expect(plan.write[0]!.parts).toEqual([
    {
      type: 'tool_result',
      callId: 'long',
      name: 'terminal',
      text: '[Old tool output cleared to save context space]',
      isError: false,
    },
  ]);
  expect(plan.systemNote).toBeUndefined();
});

test('P1 mode prune on a short conversation changes nothing and starts no rest', async () => {
  const transcript = chat(1);
  transcript.append(callRow([{ id: 'a' }]));
  transcript.append(resultRow('a', words(500)));

  const result = await askFor(transcript, { windowTokens, mode: 'prune' });

  expect(result).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'protected_only' });
  expect(result.cooldownMs).toBeUndefined();
});

test('nothing to take out at the trigger is a no-op with a structural rest; none below it, none when a person asked', async () => {
  const atTrigger = await askFor(chat(2), { windowTokens, promptTokens: 6_500 });
  const ahead = await askFor(chat(2), { windowTokens, layer: 'background', promptTokens: 5_000 });
  const asked = await askFor(chat(2), { windowTokens, force: true, promptTokens: 6_500 });

  for (const made of [atTrigger, ahead, asked])
    expect(made).toMatchObject({ outcome: 'noop', reason: 'protected_only' });
  expect([atTrigger, ahead, asked].map((made) => made.cooldownMs)).toEqual([300_000, undefined, undefined]);
});

test('a structural rest holds back the compressor, not hygiene and nobody who asked', async () => {
  const resting = chat(30, aSession({ structuralUntil: new Date(noon.getTime() + 1_000) }));
  const wish = { windowTokens, promptTokens: 6_500 };

  const results = [
    await askFor(resting, { ...wish, layer: 'background' }),
    await askFor(resting, { ...wish, layer: 'hygiene' }),
    await askFor(resting, { ...wish, layer: 'manual', force: true }),
  ];

  expect(results.map((result) => result.outcome)).toEqual(['skipped', 'success', 'success']);
});

test('a small range after an ineffective run is summarised without a call, unless a person asked', async () => {
  const transcript = chat(30, aSession({ ineffectiveStreak: 1 }));
  const summariser = new ScriptedSummariser();

  const plan = await planFor(transcript, { windowTokens: 200_000, summariser });
  const asked = await planFor(transcript, { windowTokens: 200_000, summariser, force: true });

  expect([plan.outcome, asked.outcome, summariser.requests.length]).toEqual(['deterministic', 'success', 1]);
});

test('a summary larger than what it stands for is not taken', async () => {
  const transcript = chat(15);
  const summariser = new ScriptedSummariser([`## Goal\n${words(3_000)}`]);

  const plan = await planFor(transcript, { windowTokens: 200_000, summariser, force: true });

  expect([plan.outcome, plan.reason]).toEqual(['deterministic', 'summary_too_long']);
  expect(plan.figures.tokensAfter).toBeLessThan(plan.figures.tokensBefore);
});

test('a stop before or during the summary ends the attempt without a rest', async () => {
  const before = await askFor(chat(30), { windowTokens, signal: AbortSignal.abort() });
  const stop = new AbortController();
  const summariser = failing('local');
  const asking = askFor(chat(30), { windowTokens, summariser, signal: stop.signal });
  stop.abort();
  const during = await asking;

  expect([before, during]).toMatchObject([
    { outcome: 'aborted', reason: 'user_cancelled' },
    { outcome: 'aborted', reason: 'user_cancelled' },
  ]);
  expect([before.cooldownMs, during.cooldownMs]).toEqual([undefined, undefined]);
});
