/** What becomes of a summary that is too long, empty or cut off. */
import { estimateTokens, noUsage } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { LcmWorld } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { answerRow, userRow, words } from '../../support/memory-transcript.ts';

/** Turns of a question and an answer of about this many tokens each. */
function talk(world: LcmWorld, turns: number, tokens = 100): void {
  for (let turn = 1; turn <= turns; turn++) {
    world.append(userRow(`question ${turn} ${words(tokens)}`), answerRow(`answer ${turn} ${words(tokens)}`));
  }
}

/** Small sizes: a tail of two, leaves of four messages of 100, all condensed at once. */
const small = {
  fresh_tail_count: 2,
  leaf_chunk_tokens: 520,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
};

test('A14 a summary that is not smaller is asked for again, then written without a model within its limit', async () => {
  const world = new LcmWorld({ ...small, fallback_max_tokens: 64 }, { summariser: models.growing() });
  talk(world, 4);

  const plan = await world.condense();

  const { requests } = world.summariser as models.BehavedSummariser;
  const nodes = [...world.store.nodes.values()];
  expect(requests[0]!.prompt).toContain('Tell in order what was asked');
  expect(requests[1]!.prompt).toContain('what must not be lost');
  expect(nodes.every(({ escalation }) => escalation === 'fallback')).toBe(true);
  expect(nodes.every(({ content }) => estimateTokens(content) <= 64)).toBe(true);
  expect([plan.outcome, plan.figures.escalation]).toEqual(['deterministic', 'deterministic']);
});

test('A14 a brief summary that is smaller is taken', async () => {
  const brief = new models.BehavedSummariser((request) =>
    request.prompt.includes('must not be lost') ? 'Short notes.' : `${words(2_000)}`,
  );
  const world = new LcmWorld({ ...small, summary_max_overage_factor: 1_000 }, { summariser: brief });
  talk(world, 3);

  await world.condense();

  expect([...world.store.nodes.values()][0]).toMatchObject({ escalation: 'aggressive' });
});

test('A14 an empty answer is asked for once more, then written without a model', async () => {
  const world = new LcmWorld(small, { summariser: models.empty() });
  talk(world, 3);

  await world.condense();

  expect((world.summariser as models.BehavedSummariser).requests).toHaveLength(2);
  expect([...world.store.nodes.values()][0]).toMatchObject({ escalation: 'fallback', model: null });
});

test('A14 an answer that was cut off is asked for with twice the room, then briefer, then written without a model', async () => {
  const world = new LcmWorld(small, { summariser: models.failing('summary_too_long') });
  talk(world, 3);

  const plan = await world.condense();

  const { requests } = world.summariser as models.BehavedSummariser;
  const [first, second, ...brief] = requests.map(({ targetTokens }) => targetTokens);
  expect(requests).toHaveLength(4);
  expect([second, brief[1]]).toEqual([first! * 2, brief[0]! * 2]);
  expect(brief[0]).toBeLessThan(first!);
  expect([...world.store.nodes.values()][0]).toMatchObject({ escalation: 'fallback', model: null });
  expect([plan.outcome, world.store.breakers.size]).toEqual(['deterministic', 0]);
});

test('A14 reasoning alone is an empty answer', async () => {
  const thinking = new models.BehavedSummariser(() => '<think>they talk of ferries</think>');
  const world = new LcmWorld(small, { summariser: thinking });
  talk(world, 3);

  await world.condense();

  expect([...world.store.nodes.values()][0]).toMatchObject({ escalation: 'fallback' });
});

test('what a failed answer took is on the bill', async () => {
  const usage = { ...noUsage, promptTokens: 700, outputTokens: 30 };
  const cut = new models.BehavedSummariser((_, call) =>
    call === 1
      ? { kind: 'failed', reason: 'summary_too_long', policy: 'abort', cooldownMs: 0, message: 'cut', usage }
      : { kind: 'text', text: 'Notes.', usage },
  );
  const world = new LcmWorld(small, { summariser: cut });
  talk(world, 2);

  const { figures } = await world.condense();

  expect(figures).toMatchObject({ summaryCalls: 2, summaryInputTokens: 1_400, summaryOutputTokens: 60 });
});

test('A14 wide characters keep to the token limit', async () => {
  const world = new LcmWorld(
    { ...small, leaf_chunk_tokens: 4_000, fallback_max_tokens: 64 },
    { summariser: models.empty() },
  );
  for (let turn = 0; turn < 3; turn++)
    world.append(userRow('圧縮漢字🦊'.repeat(60)), answerRow('履歴を要約する'.repeat(60)));

  await world.condense();

  for (const { content } of world.store.nodes.values()) {
    expect(estimateTokens(content)).toBeLessThanOrEqual(64);
    expect(content.isWellFormed()).toBe(true);
  }
});

test('a summary far over its target is cut and marked', async () => {
  const chatty = new models.BehavedSummariser(() => words(900));
  const world = new LcmWorld(
    { ...small, leaf_chunk_tokens: 5_000, leaf_target_tokens: 200 },
    { summariser: chatty },
  );
  talk(world, 10);

  await world.condense();

  const [node] = [...world.store.nodes.values()];
  expect(node!.escalation).toBe('capped');
  expect(node!.content).toContain('[capped: the summary went on]');
});
