import type { ClaimedSession } from './claimed-session.ts';

/**
 * The session was last answered by another model: its counts are no base for this one's prompts, its learned ratio, its
 * strikes and rests are not this one's, and the system prompt is built anew. The same model keeps all of it.
 */
export function forgetOtherModel(claimed: ClaimedSession): void {
  const { session, deps } = claimed;
  if (session.model === undefined || session.model === deps.model.info.label) return;
  claimed.change({
    lastPromptTokens: 0,
    lastOutputTokens: 0,
    lastPricedSeq: 0,
    estimateRatio: 1,
    ineffectiveStreak: 0,
    fallbackStreak: 0,
    failureStreak: 0,
    cooldownReason: null,
    cooldownMs: null,
  });
  // Stored at once, with the model's name, when the turn builds the prompt.
  claimed.view.session = { ...claimed.session, cooldownUntil: null, systemPrompt: null };
}
