import { bundledEngines } from '@palimpsest/cli';
import type { BenchInput } from '../bench-input.ts';
import type { Figures } from '../figures.ts';
import { cacheFigures } from './cache-figures.ts';
import { toolTalk } from './tool-talk.ts';

const turns = 100;

/**
 * For each engine a conversation of 100 turns with two rounds of tool calls each, in a window of 64,000 tokens:
 * how much of its prompts is read from the cache and what the input costs less than without one; and the share that is
 * read in the turns after a compaction. `…_least_read_tokens`: the prefix that even the coldest request after the first read.
 */
export async function benchCache(input: BenchInput): Promise<Figures> {
  const figures: Figures = { turns };
  for (const engine of bundledEngines) {
    input.progress(`cache: ${turns} turns under ${engine} …`);
    try {
      Object.assign(figures, cacheFigures(engine, await toolTalk(input, engine, turns)));
    } catch (thrown) {
      if (engine === 'compressor') throw thrown;
      figures[`${engine}_input_saving_percent`] =
        `not measured: ${thrown instanceof Error ? thrown.message : 'failed'}`;
    }
  }
  return figures;
}
