import type { PromptBudget, RowHeader, TranscriptView } from '@palimpsest/core';

/**
 * Tokens of the next prompt as nudges see them: what the provider counted last, prompt and answer, with an estimate of
 * what came since; all estimated where it never counted; 0 right after the conversation was rewritten or compressed,
 * until an answer tells anew.
 */
export function usageOf(
  { session, rows }: Pick<TranscriptView, 'session' | 'rows'>,
  measuredTokens: number,
  budget: PromptBudget,
): number {
  const { lastPromptTokens, lastOutputTokens, lastPricedSeq, estimateRatio } = session;
  if (lastPromptTokens < 0) return 0;
  if (lastPromptTokens === 0) return Math.ceil(budget.overheadTokens + measuredTokens * estimateRatio);
  const first = firstAfter(rows, lastPricedSeq);
  const isAnswer = lastOutputTokens > 0 && rows[first]?.role === 'assistant';
  let since = 0;
  for (let index = isAnswer ? first + 1 : first; index < rows.length; index++) since += rows[index]!.tokens;
  return Math.ceil(lastPromptTokens + lastOutputTokens + since * estimateRatio);
}

function firstAfter(rows: readonly RowHeader[], seq: number): number {
  let first = rows.length;
  while (first > 0 && rows[first - 1]!.seq > seq) first--;
  return first;
}
