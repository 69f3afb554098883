import type { Part, PromptMessage } from '@palimpsest/core';

const lostResult = '[The result of this tool call is not in the history any more]';

/**
 * Make tool calls and results of a prompt match, on the copy that is sent: a result whose call is gone is left out, a
 * second result of one call too; a call whose result is gone gets a stub; a late result moves up to its call. Calls of
 * the last assistant message with nothing but results behind it are in flight and stay untouched. Linear.
 */
export function sanitisePairs(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const results = matchResults(messages);
  const inFlight = trailingCall(messages);
  const sane: PromptMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    sane.push(message);
    const calls = message.parts.filter((part) => part.type === 'tool_call');
    for (const call of calls) {
      const result = results.get(index)?.get(call.id);
      if (result) sane.push(result);
      else if (index !== inFlight) sane.push(stubResult(call));
    }
  }
  return sane;
}

/** Index of an assistant message → call id → its result. A call id may come again later in a transcript. */
function matchResults(
  messages: readonly PromptMessage[],
): ReadonlyMap<number, ReadonlyMap<string, PromptMessage>> {
  const callers = new Map<string, number>();
  const results = new Map<number, Map<string, PromptMessage>>();
  for (const [index, message] of messages.entries()) {
    for (const part of message.parts) {
      if (message.role === 'assistant' && part.type === 'tool_call') callers.set(part.id, index);
      if (message.role !== 'tool' || part.type !== 'tool_result') continue;
      const caller = callers.get(part.callId);
      if (caller === undefined) continue;
      callers.delete(part.callId);
      const ofCaller = results.get(caller) ?? new Map<string, PromptMessage>();
      results.set(caller, ofCaller.set(part.callId, message));
    }
  }
  return results;
}

function trailingCall(messages: readonly PromptMessage[]): number {
  const last = messages.findLastIndex((message) => message.role !== 'tool');
  return last !== -1 && messages[last]!.role === 'assistant' ? last : -1;
}

function stubResult(call: Extract<Part, { type: 'tool_call' }>): PromptMessage {
  return {
    role: 'tool',
    parts: [{ type: 'tool_result', callId: call.id, name: call.name, text: lostResult, isError: true }],
  };
}
