import type { EarlyWork } from '@palimpsest/core';
import { decideWaiting } from './compress.ts';
import type { DeferredGround } from './deferred-work.ts';
import { freshTail } from './fresh-tail.ts';
import { rawOutside } from './raw-outside-tail.ts';
import { tailLimits } from './workbench.ts';

const states = { nothing: 'gathering', defer: 'held', work: 'due' } as const;

/** What is to be told of the next leaf below the trigger, by the decision that begins it; null above: all is condensed then. */
export function earlyWork(promptTokens: number, ground: DeferredGround): EarlyWork | null {
  const { sizes, items } = ground;
  if (promptTokens > sizes.triggerTokens) return null;
  const outside = rawOutside(items, freshTail(items, tailLimits(sizes)));
  const { kind } = decideWaiting(promptTokens, ground);
  return { ...outside, neededTokens: sizes.leafChunkTokens, state: states[kind] };
}
