import { estimateTokens, textOfParts } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { splitSections } from '../../packages/engines/src/compressor/lean-sections.ts';
import { unwrapSummary } from '../../packages/engines/src/compressor/summary-text.ts';
import { planFor, type CompressWish } from '../support/compress.ts';
import {
  answerRow,
  aSession,
  callRow,
  MemoryTranscript,
  resultRow,
  ScriptedSummariser,
  syntheticRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const lean = { tail_mode: 'lean' } as const;
const windowTokens = 32_000;

function chat(exchanges: number, from = 0, transcript = new MemoryTranscript()): MemoryTranscript {
  for (let index = from; index < from + exchanges; index++) {
    transcript.append(
      userRow(`question ${index} about src/part${index}.ts and #${index + 100}: ${words(10)}`),
    );
    transcript.append(answerRow(`answer ${index}: ${words(110)}`));
  }
  return transcript;
}

/** Two exchanges that stay in the tail. */
function chatLater(transcript: MemoryTranscript): void {
  for (const text of ['later', 'last']) {
    transcript.append(userRow(text));
    transcript.append(answerRow('yes'));
  }
}

async function compact(transcript: MemoryTranscript, wish: Partial<CompressWish> = {}) {
  const plan = await planFor(transcript, { windowTokens, config: lean, force: true, ...wish });
  transcript.apply(plan);
  return plan;
}

function summaryOf(transcript: MemoryTranscript): string {
  return unwrapSummary(textOfParts(transcript.rows.find((row) => row.kind === 'summary')!.parts));
}

test('behind the text of the model stand the newest request, the index, the quotes and the pointer, in this order', async () => {
  const transcript = chat(60);

  await compact(transcript, { summariser: new ScriptedSummariser(['## Goal\nship it']) });

  const headings = summaryOf(transcript).match(/^## .*$/gm);
  expect(headings).toEqual([
    '## Goal',
    '## Task Snapshot (historical)',
    '## Anchor Index',
    '## User Messages (verbatim, newest first)',
    '## Recovery',
  ]);
});

test('the index has what the archived rows name, tool results and arguments included, and nothing of the tail', async () => {
  const transcript = chat(2);
  const args = JSON.stringify({ path: 'lib/deep/thing.rs', content: `see\nsrc/other.ts ${'x'.repeat(900)}` });
  transcript.append(callRow([{ id: 'a', name: 'write_file', args }]));
  transcript.append(
    resultRow('a', `${words(100)}\nTypeError: cannot read 3f2a9c1d of undefined\n${words(100)}`),
  );
  chat(60, 2, transcript);
  transcript.append(userRow('only in the tail: src/tail.ts'));

  await compact(transcript);

  const { anchors } = splitSections(summaryOf(transcript));
  const texts = anchors.map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([
      'lib/deep/thing.rs',
      'src/other.ts',
      'TypeError: cannot read 3f2a9c1d of undefined',
      '3f2a9c1d',
      'src/part5.ts',
      '#105',
    ]),
  );
  expect(texts).not.toContain('src/tail.ts');
});

test('the person is quoted word for word, newest first, with the day; notes of ours are not', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('start'));
  transcript.append(answerRow('ready'));
  transcript.append(userRow('my locker is\n\n"4711-zebra"'));
  transcript.append(answerRow('noted'));
  transcript.append(syntheticRow('[continue]'));
  transcript.append(userRow('and my dog is Bo'));
  transcript.append(answerRow('noted too'));
  for (let index = 0; index < 75; index++) transcript.append(answerRow(words(100)));
  chatLater(transcript);

  await compact(transcript);

  expect(summaryOf(transcript)).toContain('> and my dog is Bo\n\n## ');
  expect(summaryOf(transcript)).toContain(
    '## User Messages (verbatim, newest first)\n(2026-03-02)\n> my locker is\n>\n> "4711-zebra"\n\n## Recovery',
  );
  expect(summaryOf(transcript)).not.toContain('> [continue]');
});

test('in a group it says who said it', async () => {
  const transcript = new MemoryTranscript(aSession({ chatKind: 'group' }));
  for (let index = 0; index < 60; index++) {
    transcript.append({ ...userRow(`line ${index} ${words(80)}`), sender: { id: '7', name: 'Grace' } });
    transcript.append(answerRow(words(80)));
  }

  await compact(transcript);

  expect(summaryOf(transcript)).toMatch(/^> Grace: line \d+ river/m);
});

test('a message over 4,000 characters is cut and says so, and quotes stay within 24,000', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('start'));
  transcript.append(answerRow('ready'));
  for (let index = 0; index < 30; index++) {
    transcript.append(userRow(`message ${index} ${words(900)}`));
    transcript.append(answerRow(words(300)));
  }
  for (let index = 0; index < 40; index++) transcript.append(answerRow(words(1_000)));
  chatLater(transcript);

  await compact(transcript, { windowTokens: 1_000_000 });

  const { quotes } = splitSections(summaryOf(transcript));
  expect(quotes[0]!.text).toMatch(/^message 29 [\s\S]*… \(\d+ characters in all\)$/);
  expect(Math.max(...quotes.map(({ text }) => text.length))).toBeLessThanOrEqual(4_000);
  expect(quotes.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(24_000);
  expect(quotes.length).toBe(6);
});

test('the task snapshot is the newest archived request, at most 1,400 characters', async () => {
  const transcript = chat(5);
  transcript.append(userRow(`last one: ${words(600)}`));
  for (let index = 0; index < 60; index++) transcript.append(answerRow(words(100)));
  chatLater(transcript);

  await compact(transcript);

  const { snapshot } = splitSections(summaryOf(transcript));
  expect(snapshot!.text).toMatch(/^last one: river/);
  expect(snapshot!.text.length).toBeLessThanOrEqual(1_400);
});

test('a snapshot that the model wrote, under this or an old name, is not told twice', async () => {
  const transcript = chat(60);
  const answer =
    '## Active Task\nold task\n\n## Goal\nship it\n\n## Task Snapshot (historical)\nanother\n\n## Next Steps\nrest';

  await compact(transcript, { summariser: new ScriptedSummariser([answer]) });

  const text = summaryOf(transcript);
  expect(text.match(/Task Snapshot|Active Task/g)).toHaveLength(1);
  expect(text).toContain('## Goal\nship it\n\n## Next Steps\nrest');
  expect(text).not.toContain('old task');
});

test('in a small window quotes take at most 8 %, the index 3 % and the model 8 % of it', async () => {
  const transcript = new MemoryTranscript();
  for (let index = 0; index < 60; index++) {
    transcript.append(userRow(`question ${index} src/a-long-name-${index}/file-${index}.ts ${words(60)}`));
    transcript.append(answerRow(`answer ${index} ${words(60)}`));
  }
  const summariser = new ScriptedSummariser([`## Goal\n${words(2_000)}`]);

  await compact(transcript, { windowTokens: 8_000, summariser, force: false });

  const [prose, , index, quotes] = summaryOf(transcript).split(
    /\n\n## (?:Task Snapshot|Anchor Index|User Messages|Recovery).*\n/,
  );
  expect(estimateTokens(prose!)).toBeLessThanOrEqual(640);
  expect(estimateTokens(index!)).toBeLessThanOrEqual(240);
  expect(estimateTokens(quotes!)).toBeLessThanOrEqual(640);
  expect(estimateTokens(quotes!)).toBeGreaterThan(300);
});

test('the second compaction updates the text and carries index and quotes on; neither is told as conversation', async () => {
  const transcript = chat(60);
  await compact(transcript, { summariser: new ScriptedSummariser(['## Goal\nfirst goal']) });
  const before = splitSections(summaryOf(transcript));
  chat(40, 60, transcript);
  const summariser = new ScriptedSummariser(['## Goal\nsecond goal']);

  await compact(transcript, { summariser });

  const { prompt } = summariser.requests[0]!;
  const after = splitSections(summaryOf(transcript));
  expect(prompt).toContain('<earlier_summary>\n## Goal\nfirst goal\n</earlier_summary>');
  expect(prompt).not.toMatch(/Anchor Index|User Messages|session_search/);
  expect(summaryOf(transcript).match(/## (?:Goal|Anchor Index|User Messages|Recovery)/g)).toHaveLength(4);
  expect(after.prose).toBe('## Goal\nsecond goal');
  const carried = before.quotes.slice(0, 3).map(({ text }) => text);
  expect(after.quotes.map(({ text }) => text)).toEqual(expect.arrayContaining(carried));
  expect(after.quotes.findIndex(({ text }) => text === carried[0])).toBeGreaterThan(0);
  const paths = (anchors: typeof before.anchors) => anchors.map(({ text }) => text);
  expect(paths(after.anchors)).toEqual(expect.arrayContaining(['#110', 'src/part10.ts', '#150']));
});

test('the request of an earlier snapshot becomes a quote when a newer one takes its place', async () => {
  const transcript = chat(60);
  await compact(transcript);
  const first = splitSections(summaryOf(transcript)).snapshot!.text;
  for (let index = 0; index < 60; index++) transcript.append(answerRow(words(100)));
  chatLater(transcript);

  await compact(transcript);

  const { snapshot, quotes } = splitSections(summaryOf(transcript));
  expect(snapshot!.text).not.toBe(first);
  expect(quotes.map(({ text }) => text)).toContain(first);
});

test('a summary of legacy mode is updated in lean mode, and its names reach the index', async () => {
  const transcript = chat(60);
  const plain = new ScriptedSummariser(['## Goal\nfix lib/legacy.rs']);
  await compact(transcript, { config: { tail_mode: 'legacy' }, summariser: plain });
  chat(40, 60, transcript);

  await compact(transcript);

  expect(splitSections(summaryOf(transcript)).anchors.map(({ text }) => text)).toContain('lib/legacy.rs');
});

test('the summary with all its parts is smaller than what it stands for, however small that is', async () => {
  const transcript = chat(14);

  const plan = await compact(transcript, { config: { ...lean, protect_last_n: 3 }, windowTokens: 8_000 });

  expect(plan.figures.tokensAfter).toBeLessThan(plan.figures.tokensBefore);
  expect(plan.outcome).toBe('success');
});

test('the local summary has the same parts', async () => {
  const transcript = chat(60);

  const plan = await compact(transcript, { mode: 'local' });

  expect(plan.outcome).toBe('deterministic');
  expect(summaryOf(transcript)).toMatch(
    /## Completed Actions|## Last Turns[\s\S]*## Task Snapshot[\s\S]*## Anchor Index[\s\S]*## User Messages[\s\S]*## Recovery/,
  );
  expect(summaryOf(transcript).match(/## Task Snapshot/g)).toHaveLength(1);
});

test('the same rows give the same plan', async () => {
  const wish = { windowTokens, config: lean, force: true };

  expect(await planFor(chat(60), wish)).toEqual(await planFor(chat(60), wish));
});
