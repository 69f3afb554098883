import type { RowHeader, Session } from '@palimpsest/core';

export interface PromptSizeInput {
  session: Pick<Session, 'lastPromptTokens' | 'lastOutputTokens' | 'lastPricedSeq' | 'estimateRatio'>;
  /** Live rows in seq order. */
  headers: readonly RowHeader[];
  /** Estimate of system prompt and tool schemas. */
  overheadTokens: number;
  /** Estimate of all messages as the engine assembles them. */
  assembledTokens: number;
}

export interface PromptSize {
  promptTokens: number;
  source: 'api' | 'estimate';
}

/**
 * Tokens of the next prompt: what the provider counted last (prompt and answer) and an estimate of the rows since; right
 * after a compaction (`lastPromptTokens` -1), or without any count, all is estimated. Estimates of rows are multiplied
 * by the session's learned ratio. The answer itself is priced by its output tokens, so its row, the first one above
 * `lastPricedSeq`, is not counted twice.
 */
export function promptSize(input: PromptSizeInput): PromptSize {
  const { session, headers, overheadTokens, assembledTokens } = input;
  if (session.lastPromptTokens <= 0) {
    return {
      promptTokens: Math.ceil(overheadTokens + assembledTokens * session.estimateRatio),
      source: 'estimate',
    };
  }
  const first = firstAfter(headers, session.lastPricedSeq);
  const isAnswer = session.lastOutputTokens > 0 && headers[first]?.role === 'assistant';
  const since = sumTokens(headers, isAnswer ? first + 1 : first) * session.estimateRatio;
  return {
    promptTokens: Math.ceil(session.lastPromptTokens + session.lastOutputTokens + since),
    source: 'api',
  };
}

function firstAfter(headers: readonly RowHeader[], seq: number): number {
  let first = headers.length;
  while (first > 0 && headers[first - 1]!.seq > seq) first--;
  return first;
}

function sumTokens(headers: readonly RowHeader[], from: number): number {
  let tokens = 0;
  for (let index = from; index < headers.length; index++) tokens += headers[index]!.tokens;
  return tokens;
}
