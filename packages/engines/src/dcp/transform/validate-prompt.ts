import type { PromptMessage } from '@palimpsest/core';

/**
 * What every provider refuses: a call that is not answered right behind it, a result without its call, two results of
 * one call, an answer of the model at the end.
 * endsWithAnswer   the conversation itself ends with an answer of the model: that is no fault of ours
 * returns          what is wrong, in our own words; null for a sound prompt
 */
export function promptFault(messages: readonly PromptMessage[], endsWithAnswer = false): string | null {
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool' && open.size > 0)
      return `message ${index} stands between a call and its result`;
    for (const part of message.parts) {
      if (part.type === 'tool_call' && message.role === 'assistant') open.add(part.id);
      if (part.type !== 'tool_result') continue;
      if (message.role !== 'tool' || !open.delete(part.callId))
        return `message ${index} holds a result whose call is not before it`;
    }
  }
  if (open.size > 0) return 'a call at the end has no result';
  return messages.at(-1)?.role === 'assistant' && !endsWithAnswer
    ? 'the last message is one of the assistant'
    : null;
}
