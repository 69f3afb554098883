import { estimateParts, textOfParts, type PromptMessage } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { LcmWorld } from '../../support/lcm-engine-world.ts';
import { answerRow, callRow, resultRow, userRow, words } from '../../support/memory-transcript.ts';

const small = {
  fresh_tail_count: 4,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
  incremental_max_depth: 0,
  summary_prefix_target_tokens: 100_000,
};

function talk(world: LcmWorld, turns: number): void {
  for (let turn = 1; turn <= turns; turn++)
    world.append(userRow(`question ${turn} ${words(100)}`), answerRow(`answer ${turn} ${words(100)}`));
}

const textsOf = (messages: readonly PromptMessage[]) => messages.map(({ parts }) => textOfParts(parts));

test('A21 messages come in their order; an empty session gives an empty prompt', async () => {
  const world = new LcmWorld(small);
  expect(await world.assemble()).toEqual([]);

  world.append(userRow('one'), answerRow('two'), userRow('three'));

  expect(await world.prompt()).toEqual(['one', 'two', 'three']);
});

test('A23 over the budget summaries stand in the place of what they cover, and the oldest go first', async () => {
  const world = new LcmWorld(small);
  talk(world, 10);
  await world.condense();
  const all = await world.prompt();
  const budget = { windowTokens: 800, outputReserveTokens: 100, overheadTokens: 0 };

  const kept = textsOf(await world.assemble(budget));

  expect(all.filter((text) => text.startsWith('<summary')).length).toBe(4);
  expect(all.slice(-kept.length)).toEqual(kept);
  expect(kept.length).toBeLessThan(all.length);
  expect(kept.at(-1)).toContain('answer 10');
});

test('A24 what was sent stays, byte for byte, at the beginning of what is sent next', async () => {
  const world = new LcmWorld(small);
  talk(world, 12);
  await world.condense();
  let before = JSON.stringify(await world.assemble());

  for (let turn = 0; turn < 5; turn++) {
    talk(world, 1);
    const next = await world.assemble();
    expect(JSON.stringify(next).startsWith(before.slice(0, -1))).toBe(true);
    before = JSON.stringify(next);
  }
});

test('A25 a result that names no call is told as words of the assistant', async () => {
  const world = new LcmWorld(small);
  world.append(userRow('do it'), resultRow('', 'the output'), userRow('thanks'));

  const messages = await world.assemble();

  expect(messages[1]).toMatchObject({
    role: 'assistant',
    parts: [{ type: 'text', text: '[terminal] the output' }],
  });
});

test('A26 a tail that is too large by itself is cut to its newest messages, the question always in it', async () => {
  const world = new LcmWorld({ ...small, fresh_tail_count: 64, fresh_tail_max_tokens: 100_000 });
  world.append(userRow('the question'));
  for (let round = 0; round < 12; round++)
    world.append(callRow([{ id: `c${round}` }]), resultRow(`c${round}`, words(400)));

  const messages = await world.assemble({ windowTokens: 3_000, outputReserveTokens: 300, overheadTokens: 0 });

  const tokens = messages.reduce((sum, { parts }) => sum + estimateParts(parts), 0);
  expect(tokens).toBeLessThanOrEqual(2_700);
  expect(textOfParts(messages[0]!.parts)).toBe('the question');
  expect(messages.at(-1)!.role).toBe('tool');
});

test('A26 a small context is untouched, and has a size', async () => {
  const world = new LcmWorld(small);
  world.append(userRow('hi'));
  const engine = await world.engine();

  expect(engine.measure!(world.transcript).rows).toBe(1);
  expect(engine.measure!(world.transcript).tokens).toBeGreaterThan(0);
});

test('A26 a session on the list of ignored ones is sent as it is, and nothing of it is summarised', async () => {
  const world = new LcmWorld({ ...small, ignore_session_patterns: ['s*'] });
  talk(world, 10);

  const end = await world.compress({
    layer: 'agent',
    trigger: 'threshold',
    force: false,
    promptTokens: 9_000,
  });

  expect(end).toMatchObject({ kind: 'none', outcome: 'skipped' });
  expect(await world.prompt()).toHaveLength(20);
});

test('A27 A28 a missing result gets the same words every time; a real one that comes later takes their place', async () => {
  const world = new LcmWorld(small);
  world.append(userRow('go'), callRow([{ id: 'a' }]), userRow('still there?'));
  const first = await world.prompt();
  const second = await world.prompt();
  world.append(resultRow('a', 'real output'));

  expect(second).toEqual(first);
  expect(first.some((text) => text.includes('not in the history any more'))).toBe(true);
  expect(await world.prompt()).toEqual(['go', '', 'real output', 'still there?']);
});

test('A29 of two calls with one id each has the result that follows it', async () => {
  const world = new LcmWorld(small);
  world.append(
    userRow('go'),
    callRow([{ id: 'x' }]),
    userRow('again'),
    callRow([{ id: 'x' }]),
    resultRow('x', 'second'),
  );

  const messages = await world.assemble();

  const results = messages.filter(({ role }) => role === 'tool').map(({ parts }) => textOfParts(parts));
  expect(results).toEqual([expect.stringContaining('not in the history'), 'second']);
});

const stored = `start ${words(20)}\n[… 90000 characters in all, kept whole: call read_payload with id "0123456789abcdef" and an offset …]\nend`;

test('A30 A31 A32 old results kept beside the transcript become one line with the id that opens them; others stay', async () => {
  const world = new LcmWorld({ ...small, stub_large_tool_payloads: true });
  world.append(userRow('go'));
  world.append(
    callRow([{ id: 'a' }]),
    resultRow('a', stored),
    callRow([{ id: 'b' }]),
    resultRow('b', 'short'),
  );
  talk(world, 3);
  world.append(callRow([{ id: 'c' }]), resultRow('c', stored));

  const messages = await world.assemble();

  const results = messages.filter(({ role }) => role === 'tool');
  expect(textsOf(results)).toEqual([
    '[terminal: file_0123456789abcdef, kept whole; lcm_describe with id "file_0123456789abcdef" and expand_file opens it]',
    'short',
    stored,
  ]);
  expect(
    results.map(({ parts }) => parts.map((part) => (part.type === 'tool_result' ? part.callId : '')).join()),
  ).toEqual(['a', 'b', 'c']);
});

test('A30 switched off, which is the default, nothing becomes a stub', async () => {
  const world = new LcmWorld(small);
  world.append(userRow('go'), callRow([{ id: 'a' }]), resultRow('a', stored));
  talk(world, 3);

  expect(await world.prompt()).toContain(stored);
});

test('texts of summaries are read once a session, in one statement', async () => {
  const world = new LcmWorld(small);
  talk(world, 12);
  await world.condense();
  const engine = await world.engine();
  const before = world.store.bodyReads;

  await engine.assemble(world.transcript, world.budget());
  await engine.assemble(world.transcript, world.budget());

  expect(world.store.bodyReads - before).toBe(1);
});
