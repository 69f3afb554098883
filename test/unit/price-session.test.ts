/** What a model's count of its prompt teaches about a session. */
import { silentMeter, type RowHeader, type Session, type Usage } from '@palimpsest/core';
import type { TurnDeps } from '@palimpsest/turn';
import { expect, test } from 'vitest';
import { ClaimedSession } from '../../packages/turn/src/claimed-session.ts';
import { priceSession } from '../../packages/turn/src/price-session.ts';
import { compressorFor, configWith, fixedClock } from '../support/compress.ts';
import { aModel, aSession } from '../support/memory-transcript.ts';

/** A claim of a session with `rows` of so many estimated tokens each; `strikes` is what the store's judgement returns. */
function claimWith(session: Partial<Session>, rows: readonly number[], strikes: number | null = null) {
  const confirmed: number[] = [];
  const deps = {
    model: { info: aModel({ windowTokens: 200_000 }) },
    config: configWith(),
    clock: fixedClock,
    meter: silentMeter,
    toolsFor: () => [],
    store: {
      compactions: {
        confirm(_sessionId: string, { promptTokens }: Usage) {
          confirmed.push(promptTokens);
          return Promise.resolve(strikes);
        },
      },
    },
  } as unknown as TurnDeps;
  const lease = { sessionId: 's1', epoch: 1, owner: 'test' };
  const claimed = new ClaimedSession(deps, lease, {
    session: aSession({ systemPrompt: '', ...session }),
    engine: compressorFor(200_000),
  });
  for (const tokens of rows) grow(claimed, tokens);
  return { claimed, confirmed };
}

function grow(claimed: ClaimedSession, tokens: number, role: RowHeader['role'] = 'user'): void {
  const id = claimed.view.rows.length + 1;
  claimed.view.append([
    { id, seq: id * 1024, role, kind: 'person', parts: [], tokens, toolCallIds: [], sentAt: new Date(0) },
  ]);
}

function counted(promptTokens: number, outputTokens = 0, cached = 0): Usage {
  return { promptTokens, outputTokens, cacheReadTokens: cached, cacheWriteTokens: 0, reasoningTokens: 0 };
}

test('the count is the base and only what came since is estimated, round by round in one turn', async () => {
  const { claimed } = claimWith({}, [10_000]);
  await priceSession(claimed, counted(10_000, 300));
  grow(claimed, 250, 'assistant');
  grow(claimed, 1_000);
  const afterFirst = claimed.state();
  await priceSession(claimed, counted(11_400, 200));
  grow(claimed, 180, 'assistant');

  // 10,000 counted, 300 of the answer, 1,000 estimated; then 11,400 counted and 200 of the answer.
  expect([afterFirst.promptTokens, afterFirst.source]).toEqual([11_300, 'api']);
  expect([claimed.state().promptTokens, claimed.state().source]).toEqual([11_600, 'api']);
});

test('cached parts of a prompt count as part of it', async () => {
  const { claimed } = claimWith({}, [10_000]);

  await priceSession(claimed, counted(10_000, 0, 9_500));

  expect(claimed.state().promptTokens).toBe(10_000);
});

test('the learned ratio comes nearer to the real one with every count', async () => {
  const { claimed } = claimWith({}, [20_000]);
  const ratios = [];
  for (let round = 0; round < 3; round += 1) {
    await priceSession(claimed, counted(30_000));
    ratios.push(Math.round(claimed.session.estimateRatio * 1_000) / 1_000);
  }

  // 1.5 is the truth: 1 + 0.3 of the way, three times.
  expect(ratios).toEqual([1.15, 1.255, 1.328]);
});

test('an absurd count bends the ratio to 2 at most', async () => {
  const { claimed } = claimWith({}, [1_000]);

  await priceSession(claimed, counted(100_000));

  expect(claimed.session.estimateRatio).toBeCloseTo(1.3);
});

test('U1 after a compaction the size is an estimate until a count comes, and the first one judges', async () => {
  const { claimed, confirmed } = claimWith({ lastPromptTokens: -1, lastOutputTokens: 50 }, [5_000], 1);
  const before = claimed.state();
  await priceSession(claimed, counted(160_000));
  await priceSession(claimed, counted(161_000));

  expect([before.source, before.promptTokens]).toEqual(['estimate', 5_004]);
  expect(confirmed).toEqual([160_000]);
  expect(claimed.session.ineffectiveStreak).toBe(1);
});

test('U4 without a count the wait for one after a compaction ends', async () => {
  const { claimed, confirmed } = claimWith({ lastPromptTokens: -1 }, [5_000]);

  await priceSession(claimed, null);

  expect([claimed.session.lastPromptTokens, claimed.state().source, confirmed]).toEqual([0, 'estimate', []]);
  expect(claimed.takePatch()).toEqual({ lastPromptTokens: 0 });
});

test('a response without a count keeps the last one as base', async () => {
  const { claimed } = claimWith({}, [10_000]);
  await priceSession(claimed, counted(10_000));
  grow(claimed, 400);
  await priceSession(claimed, counted(0));

  expect(claimed.state()).toMatchObject({ promptTokens: 10_400, source: 'api' });
});

test('F9 any real prompt below the trigger ends the strikes, one at it does not', async () => {
  const over = claimWith({ ineffectiveStreak: 2 }, [10_000]).claimed;
  const below = claimWith({ ineffectiveStreak: 2 }, [10_000]).claimed;
  await priceSession(over, counted(150_000));
  await priceSession(below, counted(149_999));

  expect([over.session.ineffectiveStreak, below.session.ineffectiveStreak]).toEqual([2, 0]);
  expect(below.takePatch()).toMatchObject({ ineffectiveStreak: 0 });
});
