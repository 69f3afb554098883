import { textOfParts, type NewRow, type Part } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { leanCeilingTokens, leanTailTokens } from '../../packages/engines/src/compressor/tail-budget.ts';
import { askFor, planFor } from '../support/compress.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  ScriptedSummariser,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const lean = { tail_mode: 'lean' } as const;

test.each([
  [8_000, 1_600, 1_600],
  [8_192, 1_638, 1_638],
  [32_000, 6_400, 6_400],
  [64_000, 10_000, 12_800],
  [100_000, 10_000, 15_000],
  [128_000, 10_000, 15_000],
  [200_000, 10_000, 15_000],
  [262_144, 10_000, 15_000],
  [272_000, 10_000, 15_000],
  [400_000, 10_000, 15_000],
  [512_000, 12_800, 19_200],
  [1_000_000, 25_000, 37_500],
])(
  'T4 table 1: a window of %i has a lean tail of %i tokens, let be up to %i',
  (windowTokens, tail, ceiling) => {
    expect([leanTailTokens(windowTokens), leanCeilingTokens(windowTokens)]).toEqual([tail, ceiling]);
  },
);

/** Some talk, a question, then `rounds` tool rounds whose results have `chars` characters and begin with `outcomeN`. */
function agentAtWork(rounds: number, chars: number): MemoryTranscript {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('make the tests pass'));
  transcript.append(answerRow('I begin.'));
  for (let index = 0; index < 12; index++) {
    transcript.append(userRow(`about ${index}: ${words(100)}`));
    transcript.append(answerRow(words(100)));
  }
  transcript.append(userRow('go on'));
  for (let index = 0; index < rounds; index++) {
    transcript.append(callRow([{ id: `c${index}`, args: JSON.stringify({ command: `step ${index}` }) }]));
    transcript.append(resultRow(`c${index}`, `outcome${index} ${words(chars)}`.slice(0, chars)));
  }
  transcript.append(answerRow('That was the last step.'));
  return transcript;
}

/** Live tool results: the number of their round, and whether they are a line of ours. */
function resultsOf(transcript: MemoryTranscript): string[] {
  return transcript.rows
    .filter((row) => row.role === 'tool')
    .map((row) => (textOfParts(row.parts).startsWith('[Old result: ') ? 'stub' : 'whole'));
}

test('results of 1,500 characters outside the newest six tool rounds become one line with a pointer, in a row that replaces them', async () => {
  const transcript = agentAtWork(9, 1_500);

  const plan = await planFor(transcript, { windowTokens: 200_000, config: lean, force: true });
  const stubs = plan.write.filter((row) => row.kind === 'tool');
  transcript.apply(plan);

  expect(resultsOf(transcript)).toEqual([
    'stub',
    'stub',
    'stub',
    ...Array.from({ length: 6 }, () => 'whole'),
  ]);
  expect(stubs.map((row) => row.place.kind)).toEqual(['replaces', 'replaces', 'replaces']);
  expect(textOfParts(stubs[0]!.parts)).toMatch(
    /^\[Old result: terminal "step 0", 1 line, \d+ characters\. Whole text: session_search \{"query": "outcome0 [a-z ]+"\}\]$/,
  );
  expect(plan.figures.toolResultsPruned).toBe(3);
});

test('shorter results stay whole, and in legacy mode all of the tail does', async () => {
  const short = agentAtWork(9, 1_499);
  short.apply(await planFor(short, { windowTokens: 200_000, config: lean, force: true }));
  const legacy = agentAtWork(9, 1_500);
  legacy.apply(await planFor(legacy, { windowTokens: 200_000, force: true }));

  expect([...resultsOf(short), ...resultsOf(legacy)]).not.toContain('stub');
});

test('a stub keeps call id, name and error flag, so that the pair stays valid', async () => {
  const transcript = agentAtWork(9, 1_600);

  const plan = await planFor(transcript, { windowTokens: 200_000, config: lean, force: true });

  expect(plan.write.find((row) => row.kind === 'tool')!.parts).toMatchObject([
    { type: 'tool_result', callId: 'c0', name: 'terminal', isError: false },
  ]);
});

test('P4 of two identical large results only the newest keeps its text', async () => {
  const transcript = agentAtWork(5, 300);
  for (const id of ['x', 'y']) {
    transcript.append(callRow([{ id }]));
    transcript.append(resultRow(id, words(60)));
  }
  transcript.append(answerRow('done'));

  const plan = await planFor(transcript, { windowTokens: 200_000, config: lean, force: true });
  transcript.apply(plan);
  const texts = transcript.rows.filter((row) => row.role === 'tool').slice(-2);

  expect(texts.map((row) => textOfParts(row.parts))).toEqual([
    '[Old result: the same as a newer result of this tool, which stands below]',
    words(60),
  ]);
});

test('a tail over its ceiling gives up results, the oldest first; what the model has not read yet stays', async () => {
  const transcript = agentAtWork(40, 800);
  transcript.append(callRow([{ id: 'big' }]));
  transcript.append(resultRow('big', words(6_000)));
  for (const id of ['old', 'new']) {
    transcript.append(callRow([{ id }]));
    transcript.append(resultRow(id, `${id} ${words(3_000)}`));
  }

  transcript.apply(await planFor(transcript, { windowTokens: 32_000, config: lean }));

  const newest = transcript.rows.filter((row) => row.role === 'tool').slice(-3);
  expect(newest.map((row) => textOfParts(row.parts).slice(0, 8))).toEqual([
    '[Old res',
    '[Old res',
    'new rive',
  ]);
});

function imageRow(role: 'user' | 'tool', name: string): NewRow {
  const image: Part = {
    type: 'payload',
    payloadId: name,
    mime: 'image/png',
    bytes: 9_000,
    preview: `${name} ${words(60)}`,
  };
  const parts: Part[] =
    role === 'user'
      ? [{ type: 'text', text: 'look' }, image]
      : [{ type: 'tool_result', callId: name, name: 'screenshot', text: 'taken', isError: false }, image];
  return { role, kind: role === 'user' ? 'person' : 'tool', parts, tokens: 100 };
}

test('images of the tail are dropped but for the newest of the person and the newest of a tool', async () => {
  const transcript = agentAtWork(5, 400);
  for (const name of ['first', 'second']) {
    transcript.append(imageRow('user', name));
    transcript.append(callRow([{ id: `shot-${name}` }]));
    transcript.append({ ...imageRow('tool', `shot-${name}`), role: 'tool' });
    transcript.append(answerRow('seen'));
  }

  const plan = await planFor(transcript, { windowTokens: 200_000, config: lean, force: true });
  transcript.apply(plan);
  const images = transcript.rows.flatMap((row) =>
    row.parts.flatMap((part) => (part.type === 'payload' ? [part.payloadId] : [])),
  );

  expect(images).toEqual(['second', 'shot-second']);
  expect(
    transcript.rows.some((row) => textOfParts(row.parts).startsWith('look\n[image: first river stone')),
  ).toBe(true);
});

test('tail_assistant_max_chars shortens long answers of the tail and says how to read on', async () => {
  const transcript = agentAtWork(5, 400);
  transcript.append(answerRow(`bicycle ${words(400)}`));
  transcript.append(userRow('thanks'));
  const config = { ...lean, tail_assistant_max_chars: 300 };

  transcript.apply(await planFor(transcript, { windowTokens: 200_000, config, force: true }));

  expect(textOfParts(transcript.rows.at(-2)!.parts)).toMatch(
    /^bicycle river[\s\S]{280,}\n\[… 2\d{3} characters in all\. Whole text: session_search \{"query": "bicycle [a-z ]+"\}\]$/,
  );
});

test('B9 with protect_first_n_decay the first exchange stays at the first compaction and is summarised at the second', async () => {
  const transcript = agentAtWork(5, 600);
  const config = { ...lean, protect_first_n_decay: true };
  transcript.apply(await planFor(transcript, { windowTokens: 32_000, config, force: true }));
  const first = textOfParts(transcript.rows[0]!.parts);
  for (let index = 0; index < 20; index++) {
    transcript.append(userRow(`more ${index} ${words(80)}`));
    transcript.append(answerRow(words(80)));
  }
  transcript.apply(await planFor(transcript, { windowTokens: 32_000, config, force: true }));

  expect([first, transcript.rows[0]!.kind]).toEqual(['make the tests pass', 'summary']);
});

test('mode prune gives up old results anywhere until the prompt is a fifth below the trigger', async () => {
  const transcript = agentAtWork(30, 3_000);

  // About 690 tokens a result: 30 of them and the calls are 21,500; the trigger is 24,000, four fifths 19,200.
  const plan = await planFor(transcript, {
    windowTokens: 32_000,
    config: lean,
    mode: 'prune',
    promptTokens: 25_000,
  });

  expect(plan.outcome).toBe('fallback_trim');
  expect(plan.figures.tokensAfter).toBeLessThan(19_200);
  expect(plan.figures.summaryCalls).toBe(0);
});

test('a prune that would leave the prompt at the trigger is not made', async () => {
  const transcript = agentAtWork(3, 1_200);
  for (let index = 0; index < 40; index++) transcript.append(userRow(words(550)));

  const result = await askFor(transcript, { windowTokens: 32_000, config: lean, mode: 'prune' });

  expect(result).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'protected_only' });
});

test('where no row can leave, old results still give way', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('read all of it'));
  for (let index = 0; index < 3; index++) {
    transcript.append(callRow([{ id: `c${index}` }]));
    transcript.append(resultRow(`c${index}`, `part ${index} ${words(6_000)}`));
  }
  const summariser = new ScriptedSummariser();

  const plan = await planFor(transcript, {
    windowTokens: 32_000,
    config: { ...lean, protect_last_n: 30 },
    summariser,
  });

  expect(plan.figures.tokensAfter).toBeLessThan(plan.figures.tokensBefore - 10_000);
});

test('a plan made ahead leaves more: what comes before it is applied stands behind its tail', async () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 75; index++) {
    transcript.append(userRow(`question ${index} ${words(100)}`));
    transcript.append(answerRow(words(100)));
  }
  const wish = { windowTokens: 32_000, config: lean, promptTokens: 20_000 } as const;

  const now = await planFor(transcript, wish);
  const ahead = await planFor(transcript, { ...wish, layer: 'background', trigger: 'prepared' });

  // The trigger is 24,000: 4,000 tokens are still to come, which are 34 rows of 117.
  expect(now.figures.tokensAfter - ahead.figures.tokensAfter).toBeGreaterThan(3_000);
});

test('a look ahead at a prompt that got small again makes no plan and starts no rest', async () => {
  const transcript = agentAtWork(9, 3_000);
  const summariser = new ScriptedSummariser();
  const wish = { windowTokens: 32_000, config: lean, summariser, promptTokens: 19_199 } as const;

  const result = await askFor(transcript, { ...wish, layer: 'background', trigger: 'prepared' });

  expect(result).toMatchObject({ kind: 'none', outcome: 'noop', reason: 'below_threshold' });
  expect([result.cooldownMs, summariser.requests.length]).toEqual([undefined, 0]);
});

test('a plan made ahead that would win less than a fifth of the trigger is left for later, without asking the model', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('start'));
  transcript.append(answerRow('ready'));
  for (let index = 0; index < 4; index++) transcript.append(answerRow(words(900)));
  transcript.append(userRow(words(6_000)));
  for (let index = 0; index < 20; index++) transcript.append(answerRow(words(450)));
  const summariser = new ScriptedSummariser();
  const wish = { windowTokens: 32_000, config: lean, summariser, promptTokens: 21_000 } as const;

  const ahead = await askFor(transcript, { ...wish, layer: 'background', trigger: 'prepared' });

  expect([ahead.kind, ahead.reason, summariser.requests.length]).toEqual(['none', 'below_threshold', 0]);
});
