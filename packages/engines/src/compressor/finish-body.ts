import { estimateTokens } from '@palimpsest/core';
import type { PlanGround } from './build-plan.ts';
import { addLeanParts } from './lean-summary.ts';
import { wrapTokens } from './measure.ts';
import { removedTokensOf } from './plan-sizes.ts';
import { earlierParts } from './summary-wish.ts';
import { systemNote } from './summary-text.ts';

/** The summary with its parts is smaller than what it stands for by at least this share. */
const leastWin = 0.1;

/** The body of the summary row: the text alone in legacy mode, with index, quotes and pointer behind it in lean mode. */
export function finishBody(ground: PlanGround, text: string): string {
  const { lean, layout, rows, session } = ground;
  if (!lean) return text;
  const noteTokens = session.systemNote === null ? estimateTokens(systemNote) : 0;
  const roomTokens =
    removedTokensOf(ground) * (1 - leastWin) - estimateTokens(text) - wrapTokens - noteTokens;
  const from = {
    earlier: earlierParts(ground),
    rows: layout.content.map((index) => rows[index]!),
    bodyOf: lean.bodyOf,
    namesSpeakers: session.chatKind === 'group',
  };
  return addLeanParts(text, from, { caps: lean.caps, roomTokens });
}
