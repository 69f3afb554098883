import { estimateTokens } from '@palimpsest/core';
import type { Part, PromptMessage } from '@palimpsest/core';

import { wordsOfPayload } from '../prompt-images.ts';

/** Share of the window that an older conversation may take when a thread begins with it. */
const historyShare = 0.5;

/**
 * What a turn is started with: only what people said since, or, where more happened elsewhere, a short transcript.
 *
 * messages   what the thread has not seen, oldest first
 */
export function turnInput(messages: readonly PromptMessage[], windowTokens: number): string {
  const lastAnswer = messages.findLastIndex(({ role }) => role !== 'user');
  const said = messages
    .slice(lastAnswer + 1)
    .map(({ parts }) => wordsOf(parts))
    .join('\n\n');
  if (lastAnswer < 0) return said;
  const { lines, left } = keepNewest(messages.slice(0, lastAnswer + 1), windowTokens * historyShare);
  const cut = left > 0 ? `(${left} earlier messages are left out.)\n` : '';
  return `The conversation before this message:\n<conversation>\n${cut}${lines.join('\n')}\n</conversation>\n\n${said}`;
}

function keepNewest(
  messages: readonly PromptMessage[],
  budgetTokens: number,
): { lines: string[]; left: number } {
  const lines: string[] = [];
  let left = budgetTokens;
  for (const message of messages.toReversed()) {
    const line = `${speakerOf(message)}: ${wordsOf(message.parts)}`;
    left -= estimateTokens(line);
    if (left < 0) break;
    lines.unshift(line);
  }
  return { lines, left: messages.length - lines.length };
}

function speakerOf({ role }: PromptMessage): string {
  return role === 'user' ? 'Person' : role === 'assistant' ? 'You' : 'Tool';
}

function wordsOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part): string[] => {
      switch (part.type) {
        case 'text':
        case 'header':
        case 'tool_result':
          return [part.text];
        case 'payload':
          return [wordsOfPayload(part)];
        case 'tool_call':
          return [`(called ${part.name} ${part.arguments})`];
        case 'sidecar':
          return [];
      }
    })
    .join('\n');
}
