import type { LcmNewSummary, NewRow } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { makeCondensed, makeLeaf } from '../../support/lcm.ts';
import { LcmWorld } from '../../support/lcm-engine-world.ts';
import * as models from '../../support/lcm-summarisers.ts';
import { answerRow, callRow, resultRow, userRow, words } from '../../support/memory-transcript.ts';
import { makePlan } from '../../support/plans.ts';

const small = {
  fresh_tail_count: 2,
  leaf_chunk_tokens: 5_000,
  condensed_target_tokens: 20,
  dynamic_leaf_chunk_tokens: { enabled: false },
};

const requestsOf = (world: LcmWorld) => (world.summariser as models.BehavedSummariser).requests;

test('A4 a step without words gives its calls and what came of them', async () => {
  const world = new LcmWorld(small);
  world.append(
    userRow(words(100)),
    callRow([{ id: 'a', name: 'terminal', args: '{"command":"make test"}' }]),
  );
  world.append(resultRow('a', 'all 12 tests passed'), resultRow('b', 'no such file', true), userRow('on'));
  world.append(answerRow('done'));

  await world.condense();

  const source = models.sourceOf(requestsOf(world)[0]!);
  expect(source).toContain('assistant:\ncalls terminal {"command":"make test"}');
  expect(source).toContain('tool:\nterminal → all 12 tests passed');
  expect(source).toContain('terminal failed → no such file');
});

test('A5 no text is read to find the tail; a text is read once, when it is summarised', async () => {
  const world = new LcmWorld({ ...small, incremental_max_depth: 0, summary_prefix_target_tokens: 100_000 });
  for (let turn = 0; turn < 500; turn++) world.append(userRow(`q${turn}`), answerRow(`a${turn}`));
  const engine = await world.engine();
  engine.measure!(world.transcript);
  await world.compress({ layer: 'agent', trigger: 'threshold', force: false, promptTokens: 10 });
  expect(world.transcript.bodyReads).toBe(0);

  await world.condense();

  expect(world.transcript.bodyReads).toBe(requestsOf(world).length);
});

test('pictures are a word beside what was said, bytes are nothing', async () => {
  const world = new LcmWorld(small);
  const image = { type: 'payload', payloadId: 'p', mime: 'image/png', bytes: 9, preview: 'a cat' } as const;
  const said = userRow(`look ${words(80)}`);
  world.append({ ...said, parts: [...said.parts, image] } as NewRow);
  world.append(
    answerRow(`data:image/png;base64,${'iVBORw0KGgo'.repeat(40)} ${words(80)}`),
    userRow('and'),
    answerRow('so'),
  );

  await world.condense();

  const source = models.sourceOf(requestsOf(world)[0]!);
  expect(source).toContain('a cat\n[attachment]');
  expect(source).not.toContain('iVBORw0KGgo');
});

test('messages with nothing in words make no summary, and the sweep goes on behind them', async () => {
  const world = new LcmWorld({ ...small, leaf_chunk_tokens: 10 });
  world.append(userRow(''), answerRow(''), userRow(words(300)), userRow('x'), answerRow('y'));

  await world.condense();

  const [node] = [...world.store.nodes.values()];
  expect(node!.messageIds).toEqual([3]);
});

test('a secret reaches neither the summary model nor the summary', async () => {
  const key = 'sk-abcdefghijklmnopqrstuvwxyz123456';
  const world = new LcmWorld(small, { summariser: models.echo() });
  world.append(userRow(`my key is ${key} ${words(200)}`), answerRow('noted'), userRow('x'), answerRow('y'));

  await world.condense();

  expect(JSON.stringify(requestsOf(world))).not.toContain(key);
  expect(JSON.stringify([...world.store.nodes.values()])).not.toContain(key);
});

/** Put nodes into the context, each over messages of its own. */
function place(world: LcmWorld, nodes: readonly { depth: number; content: string }[]): void {
  for (const { depth, content } of nodes) {
    const row = world.transcript.append(userRow(words(150)));
    let node: LcmNewSummary = makeLeaf('s1', [row], content, { tokens: 300 });
    const made = [node];
    while (node.depth < depth) {
      node = makeCondensed('s1', [node], content, { tokens: 300 });
      made.push(node);
    }
    world.transcript.apply(makePlan({ archive: [row.id] }));
    world.store.change({ summaries: made, addItems: [{ summaryId: node.id, ordinal: row.seq }] });
  }
  world.append(userRow('now'), answerRow('yes'));
}

test('A13 leaves are condensed with the leaves before them in sight, deeper summaries without', async () => {
  const config = {
    ...small,
    condensed_min_fanout: 2,
    condensed_min_fanout_hard: 100,
    incremental_max_depth: -1,
    summary_prefix_target_tokens: 1,
    max_sweep_iterations: 1,
  };
  const leaves = new LcmWorld(config);
  place(leaves, [
    { depth: 0, content: 'FIRST' },
    { depth: 1, content: 'between' },
    { depth: 0, content: 'second' },
    { depth: 0, content: 'third' },
  ]);
  const deeper = new LcmWorld(config);
  place(deeper, [
    { depth: 1, content: 'FIRST' },
    { depth: 2, content: 'between' },
    { depth: 1, content: 'second' },
    { depth: 1, content: 'third' },
  ]);

  await leaves.condense();
  await deeper.condense();

  expect(models.previousOf(requestsOf(leaves)[0]!)).toBe('FIRST');
  expect(models.previousOf(requestsOf(deeper)[0]!)).toBe('');
  expect(models.sourceOf(requestsOf(deeper)[0]!)).toMatch(/^\[[\d: –-]+\] sum_[0-9a-f]+\nsecond/);
});
