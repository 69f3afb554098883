import { sayIn } from '@palimpsest/turn';
import { expect, test } from 'vitest';
import { statusText } from '../../packages/turn/src/commands/status-text.ts';

type Claimed = Parameters<typeof statusText>[0];

/** What /status reads of a claimed session. */
function linesOf(seen: {
  provider?: string;
  caching?: string | null;
  cachingOff?: true;
  condensed?: number;
}): string[] {
  const { provider = 'anthropic', caching = null, cachingOff, condensed = 0 } = seen;
  const claimed = {
    session: { compactionCount: condensed, lastPricedSeq: 1024 },
    view: { rows: [] },
    deps: { model: { info: { label: 'a/model', provider, caching, cachingOff } } },
    engine: { name: 'compressor', getStatus: () => ({ lines: [] }) },
    state: () => ({ promptTokens: 12_345, source: 'api', budget: { windowTokens: 200_000 } }),
  };
  return statusText(claimed as unknown as Claimed, null, sayIn({})).split('\n');
}

test.each([
  [0, 'Not condensed yet.'],
  [1, 'Condensed once; older lines stay searchable.'],
  [2, 'Condensed 2 times; older lines stay searchable.'],
])('condensed %i times reads %j', (condensed, line) => {
  expect(linesOf({ condensed })[1]).toBe(line);
});

test('a provider that caches by itself is told as such', () => {
  expect(linesOf({ provider: 'openai' })[3]).toBe('Prompt caching is left to the provider.');
});

test('what the config switched off is told as off', () => {
  expect(linesOf({ cachingOff: true })[3]).toBe('Prompt caching is off.');
});

test('with the offline responder nothing is cached and nothing was counted', () => {
  expect(linesOf({ provider: 'offline' })).toEqual([
    'ℹ️ Context: 6 % of 200,000 tokens (12,345, estimated).',
    'Not condensed yet.',
    'Model: a/model. Engine: compressor.',
    'Nothing is running.',
  ]);
});
