/** What a session keeps and what it forgets when another model answers it. */
import { silentMeter, type ModelInfo, type Session } from '@palimpsest/core';
import type { TurnDeps } from '@palimpsest/turn';
import { expect, test } from 'vitest';
import { ClaimedSession } from '../../packages/turn/src/claimed-session.ts';
import { forgetOtherModel } from '../../packages/turn/src/forget-other-model.ts';
import { compressorFor, configWith, fixedClock, noon } from '../support/compress.ts';
import { aModel, aSession } from '../support/memory-transcript.ts';

const resting: Partial<Session> = {
  model: 'anthropic/test-model',
  cooldownUntil: new Date(noon.getTime() + 60_000),
  cooldownReason: 'summary_timeout',
  failureStreak: 1,
  fallbackStreak: 2,
  ineffectiveStreak: 1,
  lastPromptTokens: 90_000,
  estimateRatio: 1.4,
};

function answeredBy(changes: Partial<ModelInfo>): ClaimedSession {
  const deps = {
    model: { info: aModel(changes) },
    config: configWith(),
    clock: fixedClock,
    meter: silentMeter,
    toolsFor: () => [],
    store: {},
  } as unknown as TurnDeps;
  const lease = { sessionId: 's1', epoch: 1, owner: 'test' };
  const claimed = new ClaimedSession(deps, lease, {
    session: aSession(resting),
    engine: compressorFor(200_000),
  });
  forgetOtherModel(claimed);
  return claimed;
}

test('T7 with another model strikes, rests and what was learned are gone, and sizes are those of its window', () => {
  const claimed = answeredBy({ label: 'openai/other', windowTokens: 1_000_000 });

  expect(claimed.session).toMatchObject({
    cooldownUntil: null,
    cooldownReason: null,
    failureStreak: 0,
    fallbackStreak: 0,
    ineffectiveStreak: 0,
    lastPromptTokens: 0,
    estimateRatio: 1,
  });
  expect(claimed.takePatch()).toMatchObject({ cooldownMs: null, fallbackStreak: 0 });
  expect(claimed.budget().windowTokens).toBe(1_000_000);
});

test('T10 the same model with another window keeps rests, strikes and what was learned', () => {
  const claimed = answeredBy({ windowTokens: 128_000 });

  expect(claimed.session).toMatchObject(resting);
  expect(claimed.takePatch()).toEqual({});
  expect(claimed.budget().windowTokens).toBe(128_000);
});
