import { estimateTokens } from '@palimpsest/core';
import { percentile, rounded, type Figures } from '../figures.ts';
import { estimateTexts, uncounted, type TextKind } from './estimate-texts.ts';

const rounds = 15;
/** Long enough that the clock's resolution and a single pause do not matter. */
const roundMs = 20;
/** Characters of a timed text, about: more than the processor's caches that are nearest hold. */
const timedSize = 500_000;
const megabyte = 1_000_000;

/**
 * How far the token estimate is from o200k_base (per cent, positive: too high), and MB of UTF-8 a second through it on
 * one core, by kind of text. `mb_per_s` is that of prose. `one_letter_times` = time of a 10 MB run of one letter over
 * that of 1 MB; 10 is linear.
 */
export async function benchEstimate(): Promise<Figures> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const texts = Object.entries(estimateTexts()) as [TextKind, string][];
  const errors: Figures = {};
  const speeds: Figures = {};
  const counted: number[] = [];
  for (const [kind, text] of texts) {
    const error = (estimateTokens(text) / countTokens(text) - 1) * 100;
    errors[`${kind}_error_percent`] = Number(error.toFixed(1));
    speeds[`${kind}_mb_per_s`] = rounded(megabytesPerSecond(text));
    if (!uncounted.includes(kind)) counted.push(Math.abs(error));
  }
  return {
    kinds: counted.length,
    mean_error_percent: rounded(counted.reduce((sum, error) => sum + error, 0) / counted.length),
    worst_error_percent: rounded(Math.max(...counted)),
    mb_per_s: speeds['prose_mb_per_s']!,
    one_letter_10mb_ms: rounded(secondsOf('a'.repeat(10 * megabyte)) * 1000),
    one_letter_times: rounded(secondsOf('a'.repeat(10 * megabyte)) / secondsOf('a'.repeat(megabyte))),
    ...errors,
    ...speeds,
  };
}

function megabytesPerSecond(text: string): number {
  const timed = flat(text.repeat(Math.ceil(timedSize / text.length)));
  const megabytes = Buffer.byteLength(timed) / megabyte;
  return megabytes / secondsOf(timed);
}

/** Processor seconds of one estimate, the median of several rounds. */
function secondsOf(text: string): number {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    let runs = 0;
    let elapsedMs = 0;
    const startedAtMs = processorMs();
    while (elapsedMs < roundMs) {
      estimateTokens(text);
      runs += 1;
      elapsedMs = processorMs() - startedAtMs;
    }
    seconds.push(elapsedMs / runs / 1000);
  }
  // The first rounds run before the compiler has optimised the loop.
  return percentile(seconds.slice(3), 0.5);
}

/** Time of this thread on a processor: another program that wants it too does not count. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** A repeated string is a tree of pieces inside the engine; what the product sees came off a wire in one piece. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
