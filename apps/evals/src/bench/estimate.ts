import { estimateTokens } from '@palimpsest/core';
import { estimateTexts } from './estimate-texts.ts';
import { percentile, rounded, type Figures } from './figures.ts';

const rounds = 15;
/** Long enough that the clock's resolution and a single pause do not matter. */
const roundMs = 20;

/** MB of UTF-8 a second through the token estimate, by kind of text. The median of several rounds. */
export function benchEstimate(): Figures {
  const figures: Figures = {};
  for (const [kind, text] of Object.entries(estimateTexts())) {
    const megabytes = Buffer.byteLength(text) / 1e6;
    figures[`${kind}_mb_per_s`] = rounded(megabytes * perSecond(text));
    figures[`${kind}_tokens_per_kb`] = rounded(estimateTokens(text) / (megabytes * 1000));
  }
  return figures;
}

function perSecond(text: string): number {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let runs = 0;
    const startedAt = performance.now();
    let elapsedMs = 0;
    while (elapsedMs < roundMs) {
      estimateTokens(text);
      runs += 1;
      elapsedMs = performance.now() - startedAt;
    }
    rates.push((runs * 1000) / elapsedMs);
  }
  // The first rounds run before the compiler has optimised the loop.
  return percentile(rates.slice(3), 0.5);
}
