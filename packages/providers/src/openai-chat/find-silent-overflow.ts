import { estimateOverhead, estimateParts } from '@palimpsest/core';
import type { ModelFailure, ModelRequest, StopReason, Usage } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';

/** Below this our estimate is too rough to accuse a server. */
const smallestJudgedTokens = 2_000;
/** A server that counted less than this share of our estimate has cut the prompt. */
const plausibleShare = 0.6;

/**
 * Prompts that did not fit without an error: Ollama cuts them and answers 200, MiMo ends with `length` and no word.
 * The answer is then worth nothing, since the system prompt may be gone.
 *
 * returns  the failure to report instead of the answer, or null when all is well
 */
export function findSilentOverflow(
  request: ModelRequest,
  answer: { provider: string; usage: Usage | null; stop: StopReason; isEmpty: boolean },
): ModelFailure | null {
  const { provider, usage, stop, isEmpty } = answer;
  if (stop === 'max_tokens' && isEmpty && usage?.outputTokens === 0)
    return failure('overflow', `${provider} had no room for an answer`);
  if (!usage || usage.promptTokens <= 0) return null;
  const estimate = request.messages.reduce(
    (sum, message) => sum + estimateParts(message.parts),
    estimateOverhead(request.system, request.tools),
  );
  if (estimate <= smallestJudgedTokens || usage.promptTokens >= estimate * plausibleShare) return null;
  return {
    ...failure(
      'overflow',
      `${provider} cut the prompt silently: it counted ${usage.promptTokens} tokens of about ${estimate}`,
    ),
    reportedPromptTokens: usage.promptTokens,
    reportedWindowTokens: usage.promptTokens,
  };
}
