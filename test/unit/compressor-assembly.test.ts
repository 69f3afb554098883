import { textOfParts, type MessageRow, type PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { chooseRole } from '../../packages/engines/src/compressor/choose-role.ts';
import { sanitisePairs } from '../../packages/engines/src/compressor/sanitise-pairs.ts';
import { budgetOf, compressorFor, planFor } from '../support/compress.ts';
import {
  answerRow,
  callRow,
  MemoryTranscript,
  resultRow,
  ScriptedSummariser,
  syntheticRow,
  userRow,
  words,
} from '../support/memory-transcript.ts';

const windowTokens = 8_000;

/** An opening exchange, `exchanges` more of about 240 tokens each, and a last question. */
function chat(exchanges: number): MemoryTranscript {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('Help me set up a FastAPI project'));
  transcript.append(answerRow('Gladly. Which Python version?'));
  addExchanges(transcript, exchanges);
  return transcript;
}

function addExchanges(transcript: MemoryTranscript, exchanges: number): void {
  for (let index = 0; index < exchanges; index++) {
    transcript.append(userRow(`question ${index}: ${words(100)}`));
    transcript.append(answerRow(`answer ${index}: ${words(100)}`));
  }
}

function rolesOf(rows: readonly { role: string }[]): string {
  return rows.map((row) => row.role[0]).join('');
}

async function promptOf(transcript: MemoryTranscript): Promise<readonly PromptMessage[]> {
  return (await compressorFor(windowTokens).assemble(transcript, budgetOf(windowTokens))).messages;
}

test('the example of the requirements: head, summary row, word-for-word tail, in one call', async () => {
  const transcript = chat(25);
  transcript.append(userRow('Great, also add error handling'));
  const before = transcript.rows;
  const summariser = new ScriptedSummariser(['## Goal\nSet up a FastAPI project']);

  const plan = await planFor(transcript, { windowTokens, summariser });
  transcript.apply(plan);

  const texts = transcript.rows.map((row) => textOfParts(row.parts));
  expect(summariser.requests).toHaveLength(1);
  expect(texts[0]).toBe('Help me set up a FastAPI project');
  expect(texts[2]).toMatch(
    /^\[CONTEXT COMPACTION\] Earlier turns were compacted.*\n\n## Goal\nSet up a FastAPI project\n\n\[END OF CONTEXT COMPACTION\]$/,
  );
  expect(transcript.rows.slice(3)).toEqual(before.slice(-(transcript.rows.length - 3)));
  expect(plan.outcome).toBe('success');
});

test('B5 no two rows of one role touch after a compaction, whichever row the tail begins with', async () => {
  for (let extra = 0; extra < 4; extra++) {
    const transcript = chat(25);
    for (let index = 0; index < extra; index++)
      transcript.append(index % 2 === 0 ? userRow('and now?') : answerRow('this'));

    transcript.apply(await planFor(transcript, { windowTokens }));

    expect(rolesOf(transcript.rows)).not.toMatch(/uu|aa/);
  }
});

test('B5 a summary that fits neither as user nor as assistant row is merged into the row behind it, and opened again', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow('start'));
  transcript.append(callRow([{ id: 'x' }]));
  transcript.append(resultRow('x', 'ok'));
  for (let index = 0; index < 40; index++) {
    transcript.append(callRow([{ id: `c${index}` }], 'step'));
    transcript.append(resultRow(`c${index}`, words(100)));
  }
  transcript.append(answerRow('all done'));
  for (let index = 0; index < 5; index++) {
    transcript.append(callRow([{ id: `d${index}` }], 'step'));
    transcript.append(resultRow(`d${index}`, words(100)));
  }
  const config = { protect_last_n: 3, target_ratio: 0.1 };

  const first = await planFor(transcript, {
    windowTokens,
    config: { ...config, protect_last_n: 11 },
    summariser: new ScriptedSummariser(['## Goal\nfirst']),
  });
  transcript.apply(first);
  const merged = transcript.rows[3]!;
  for (let index = 0; index < 20; index++) {
    transcript.append(callRow([{ id: `e${index}` }], 'step'));
    transcript.append(resultRow(`e${index}`, words(100)));
  }
  const summariser = new ScriptedSummariser(['## Goal\nsecond']);
  transcript.apply(await planFor(transcript, { windowTokens, config, summariser }));

  expect(first.write.map((row) => [row.role, row.kind, row.place.kind])).toEqual([
    ['assistant', 'summary', 'replaces'],
  ]);
  expect(textOfParts(merged.parts)).toMatch(/## Goal\nfirst\n\n\[END OF CONTEXT COMPACTION\]\n\nall done$/);
  expect(summariser.requests[0]!.prompt).toContain('<earlier_summary>\n## Goal\nfirst\n</earlier_summary>');
  expect(
    transcript.rows.filter((row) => textOfParts(row.parts).includes('[CONTEXT COMPACTION]')),
  ).toHaveLength(1);
});

test('B6 without a head the first row after a compaction is a user row', async () => {
  const transcript = new MemoryTranscript();
  transcript.append(userRow(words(4_000)));
  addExchanges(transcript, 20);

  transcript.apply(await planFor(transcript, { windowTokens }));

  expect([transcript.rows[0]!.role, transcript.rows[0]!.kind]).toEqual(['user', 'summary']);
});

test('B6 a summary with only an assistant row before it is a user row', () => {
  const row = (role: 'user' | 'assistant') =>
    ({ role, kind: role === 'user' ? 'person' : 'assistant', toolCallIds: [] }) as unknown as MessageRow;

  expect(chooseRole({ before: [], after: [row('assistant')] })).toEqual({ kind: 'row', role: 'user' });
  expect(chooseRole({ before: [], after: [row('user')] })).toEqual({ kind: 'merge' });
  expect(chooseRole({ before: [row('user'), row('assistant')], after: [row('assistant')] })).toEqual({
    kind: 'row',
    role: 'user',
  });
  expect(chooseRole({ before: [row('user')], after: [row('user')] })).toEqual({
    kind: 'row',
    role: 'assistant',
  });
});

test('B7 in the prompt a result without call is gone, a call without result gets a stub, one in flight stays', () => {
  const call = (id: string): PromptMessage => ({
    role: 'assistant',
    parts: [{ type: 'tool_call', id, name: 'terminal', arguments: '{}' }],
  });
  const result = (callId: string): PromptMessage => ({
    role: 'tool',
    parts: [{ type: 'tool_result', callId, name: 'terminal', text: 'ok', isError: false }],
  });
  const user: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'go on' }] };
  const flight = call('c');

  const sane = sanitisePairs([result('gone'), call('a'), user, call('b'), result('b'), user, flight]);

  expect(sane.map((message) => message.role)).toEqual([
    'assistant',
    'tool',
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ]);
  expect(sane[1]!.parts[0]).toMatchObject({ type: 'tool_result', callId: 'a', isError: true });
  expect(sane.at(-1)).toBe(flight);
});

test('B7 a result that stands behind a message of the person moves up to its call', () => {
  const call: PromptMessage = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'a', name: 'terminal', arguments: '{}' }],
  };
  const result: PromptMessage = {
    role: 'tool',
    parts: [{ type: 'tool_result', callId: 'a', name: 'terminal', text: 'ok', isError: false }],
  };
  const user: PromptMessage = { role: 'user', parts: [] };

  expect(sanitisePairs([call, user, result])).toEqual([call, result, user]);
});

test('B8 a handoff of an earlier wording is opened and not nested', async () => {
  const transcript = chat(0);
  const old =
    '[CONTEXT COMPACTION] Earlier turns were compacted, says an older release.\n\n## Goal\nthe old goal';
  transcript.append({ ...userRow(old), kind: 'summary' });
  transcript.append(answerRow('on it'));
  addExchanges(transcript, 25);
  const summariser = new ScriptedSummariser([
    '[CONTEXT COMPACTION] Earlier turns were compacted\n## Goal\nthe new goal',
  ]);

  transcript.apply(await planFor(transcript, { windowTokens, summariser }));

  const summaries = transcript.rows
    .filter((row) => row.kind === 'summary')
    .map((row) => textOfParts(row.parts));
  expect(summariser.requests[0]!.prompt).toContain(
    '<earlier_summary>\n## Goal\nthe old goal\n</earlier_summary>',
  );
  expect(summaries).toHaveLength(1);
  expect(summaries[0]!.match(/CONTEXT COMPACTION\] Earlier/g)).toHaveLength(1);
});

test('B9 the second compaction updates the summary of the first, and the head is still the first exchange', async () => {
  const transcript = chat(25);
  transcript.apply(
    await planFor(transcript, { windowTokens, summariser: new ScriptedSummariser(['## Goal\nfirst goal']) }),
  );
  addExchanges(transcript, 18);
  const summariser = new ScriptedSummariser(['## Goal\nsecond goal']);

  transcript.apply(await planFor(transcript, { windowTokens, summariser }));

  const texts = transcript.rows.map((row) => textOfParts(row.parts));
  expect(summariser.requests[0]!.prompt).toContain(
    '<earlier_summary>\n## Goal\nfirst goal\n</earlier_summary>',
  );
  expect(summariser.requests[0]!.prompt.match(/first goal/g)).toHaveLength(1);
  expect(texts.slice(0, 2)).toEqual(['Help me set up a FastAPI project', 'Gladly. Which Python version?']);
  expect(texts.filter((text) => text.startsWith('[CONTEXT COMPACTION]'))).toHaveLength(1);
});

test('B11 the note for the system prompt comes with the first compaction and not with the second', async () => {
  const transcript = chat(25);
  const first = await planFor(transcript, { windowTokens });
  transcript.apply(first);
  addExchanges(transcript, 18);
  const second = await planFor(transcript, { windowTokens });

  expect(first.systemNote).toMatch(/^\[Note: Some earlier conversation turns have been compacted/);
  expect(second.systemNote).toBeUndefined();
});

test('the newest message of the person is byte for byte the same row after a compaction', async () => {
  const transcript = chat(25);
  const newest = transcript.append(userRow('Fix the failing tests'));

  const plan = await planFor(transcript, { windowTokens, config: { protect_last_n: 1, target_ratio: 0.1 } });

  expect(plan.archive).not.toContain(newest.id);
  expect(plan.write.map((row) => row.place.kind)).toEqual(['range']);
});

test('B5 a note of ours at the border takes no summary', async () => {
  const transcript = chat(25);
  transcript.append(syntheticRow('[continue]'));
  for (let index = 0; index < 4; index++) transcript.append(callRow([{ id: `c${index}` }]));

  const plan = await planFor(transcript, { windowTokens, config: { protect_last_n: 5 } });

  expect(plan.write.filter((row) => row.kind === 'synthetic')).toEqual([]);
});

test('the prompt holds every live row in order, read in one go, and is the same twice', async () => {
  const transcript = chat(3);

  const once = await promptOf(transcript);
  const reads = transcript.bodyReads;
  const twice = await promptOf(transcript);

  expect(once.map((message) => message.rowId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect([reads, twice]).toEqual([1, once]);
});
