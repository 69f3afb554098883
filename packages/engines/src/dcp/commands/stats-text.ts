import { blockActivity, type EngineCommandEnd } from '@palimpsest/core';
import { statsOf } from '../state/stats.ts';
import type { CommandGround } from './command-ground.ts';

/** /dcp stats: what blocks and marks in force save, and what there ever was. */
export function statsText({ desk, view, say }: CommandGround): EngineCommandEnd {
  const { state } = desk;
  const stats = statsOf(state, blockActivity(state, { rows: view.rows, isWhole: true }));
  const { counters } = state;
  const { number } = say;
  const oneDigit = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const inTenths = (value: number): string => value.toLocaleString(say.language, oneDigit);
  const ratio =
    stats.summaryTokens === 0 ? '' : `, ${inTenths(stats.removedTokens / stats.summaryTokens)} : 1`;
  const lines = [
    say('dcpNow', {
      messages: say.counted(stats.hiddenUnits, 'message'),
      active: stats.activeBlocks,
      blocks: say.counted(stats.allBlocks, 'block'),
    }),
    say('dcpSaved', {
      before: number(stats.removedTokens),
      after: number(stats.summaryTokens),
      ratio,
      saved: number(stats.netTokens),
    }),
    say('dcpMarked', { calls: number(stats.markedCalls), tokens: number(stats.markTokens) }),
    say('dcpTime', { seconds: inTenths(stats.durationMs / 1000) }),
    say('dcpEver', {
      tokens: number(stats.allTimeRemovedTokens),
      calls: number(counters.compressCalls),
      refused: number(counters.compressFailures),
      reminders: number(counters.nudges),
      own: number(counters.hygieneBlocks),
      emergencies: number(counters.emergencies),
    }),
  ];
  return { text: lines.join('\n') };
}
