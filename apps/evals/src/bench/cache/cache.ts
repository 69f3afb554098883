import { bundledEngines } from '@palimpsest/cli';
import type { BenchInput } from '../bench-input.ts';
import type { Figures } from '../figures.ts';
import { cacheFigures } from './cache-figures.ts';
import { toolTalk, type TalkSubject } from './tool-talk.ts';

const turns = 100;
/** Everything is sent with each request, in a window that holds it all: what each engine is measured against. */
const noCompaction: TalkSubject = {
  name: 'no_compaction',
  engine: 'compressor',
  windowTokens: 400_000,
  compacts: false,
};

/**
 * For each engine a conversation of 100 turns with two rounds of tool calls each, in a window of 64,000 tokens, and the
 * same without any compaction: how much of its prompts is read from the cache and what the input costs less than without
 * one; and the share that is read in the turns after a compaction. Under `dcp` the model compresses when it is asked to.
 * `…_least_read_tokens`: the prefix that even the coldest request after the first read.
 */
export async function benchCache(input: BenchInput): Promise<Figures> {
  const figures: Figures = { turns };
  for (const subject of [...bundledEngines.map(engineSubject), noCompaction]) {
    const { name } = subject;
    input.progress(`cache: ${turns} turns under ${name} …`);
    try {
      Object.assign(figures, cacheFigures(name, await toolTalk(input, subject, turns)));
    } catch (thrown) {
      if (name === 'compressor') throw thrown;
      figures[`${name}_input_saving_percent`] =
        `not measured: ${thrown instanceof Error ? thrown.message : 'failed'}`;
    }
  }
  return figures;
}

function engineSubject(engine: string): TalkSubject {
  return { name: engine, engine, windowTokens: 64_000, compacts: true };
}
