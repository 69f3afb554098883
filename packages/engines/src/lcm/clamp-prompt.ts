import { estimateParts, type PromptMessage } from '@palimpsest/core';

/** The last resort keeps this share of the budget. */
const keptShare = 0.9;

/**
 * The newest messages within the budget, for a tail that is too large by itself. The last message of the person always
 * stays, and what follows a cut begins with something a person said or with a summary, not in the middle of a step.
 */
export function clampPrompt(
  messages: readonly PromptMessage[],
  budgetTokens: number,
  isPerson: (message: PromptMessage) => boolean,
): readonly PromptMessage[] {
  const sizes = messages.map((message) => estimateParts(message.parts));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= budgetTokens) return messages;
  const room = Math.max(1, Math.floor(budgetTokens * keptShare));
  const asked = messages.findLastIndex(isPerson);
  let left = room - (asked === -1 ? 0 : sizes[asked]!);
  let start = messages.length;
  while (start > 0) {
    const index = start - 1;
    const size = index === asked ? 0 : sizes[index]!;
    if (size > left && start < messages.length) break;
    left -= size;
    start = index;
  }
  // A result without its call says nothing.
  while (start < messages.length - 1 && messages[start]!.role === 'tool') start += 1;
  const kept = messages.slice(start);
  return asked === -1 || asked >= start ? kept : [messages[asked]!, ...kept];
}
