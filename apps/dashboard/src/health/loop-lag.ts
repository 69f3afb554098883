import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 20;
/** Lag of the last half minute at most: an old hiccup is no ill health. */
const windowMs = 30_000;

/** Start watching the event loop; the function gives its 99th percentile delay in ms. Keeps no process alive. */
export function watchLoopLag(now: () => number): () => number {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let since = now();
  return () => {
    const lagMs = Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs);
    if (now() - since > windowMs) {
      histogram.reset();
      since = now();
    }
    return Number.isFinite(lagMs) ? Math.round(lagMs) : 0;
  };
}
