import { blockActivity, type EngineCommandEnd } from '@palimpsest/core';
import { statsOf } from '../state/stats.ts';
import { counted, inWords } from './change-end.ts';
import type { CommandGround } from './command-ground.ts';

/** /dcp stats: what blocks and marks in force save, and what there ever was. */
export function statsText({ desk, view }: CommandGround): EngineCommandEnd {
  const { state } = desk;
  const stats = statsOf(state, blockActivity(state, { rows: view.rows, isWhole: true }));
  const { counters } = state;
  const ratio =
    stats.summaryTokens === 0 ? '' : `, ${(stats.removedTokens / stats.summaryTokens).toFixed(1)} : 1`;
  const lines = [
    `Condensed now: ${counted(stats.hiddenUnits, 'message')} in ${stats.activeBlocks} of ${counted(stats.allBlocks, 'block')}.`,
    `About ${inWords(stats.removedTokens)} tokens became ${inWords(stats.summaryTokens)}${ratio}; ${inWords(stats.netTokens)} saved.`,
    `Tool calls cleared: ${stats.markedCalls}, about ${inWords(stats.markTokens)} tokens.`,
    `Time for the summaries: ${(stats.durationMs / 1000).toFixed(1)} s.`,
    `Ever: ${inWords(stats.allTimeRemovedTokens)} tokens condensed, ${counted(counters.compressCalls, 'call')} of compress (${counters.compressFailures} refused), ${counted(counters.nudges, 'reminder')}; by the service itself ${counted(counters.hygieneBlocks, 'block')}, and room made in need ${counted(counters.emergencies, 'time')}.`,
  ];
  return { text: lines.join('\n') };
}
