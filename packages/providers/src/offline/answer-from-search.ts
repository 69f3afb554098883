import type { ModelRequest } from '@palimpsest/core';

const shownHits = 3;
const shownCharacters = 300;

/**
 * Answer a question from what session_search returned and from what still stands in the conversation.
 *
 * before   index of the question: only older messages count
 */
export function answerFromSearch(
  query: string,
  found: string,
  conversation: { request: ModelRequest; before: number },
): string {
  const lines = [...hitsOf(found), ...saidInConversation(query, conversation)].slice(0, shownHits);
  if (lines.length === 0)
    return `(offline responder) I found nothing about "${query}" in what was said here.`;
  return [`(offline responder) About "${query}" I found:`, ...lines.map((line) => `- ${line}`)].join('\n');
}

/** session_search marks the lines that match with `> `. */
function hitsOf(found: string): string[] {
  return found
    .split('\n')
    .filter((line) => line.startsWith('> '))
    .map((line) => cut(line.slice(2)));
}

function saidInConversation(
  query: string,
  { request, before }: { request: ModelRequest; before: number },
): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const hits: string[] = [];
  for (const message of request.messages.slice(0, before).toReversed()) {
    if (message.role !== 'user') continue;
    for (const part of message.parts) {
      if (part.type !== 'text') continue;
      const said = part.text.toLowerCase();
      if (words.length > 0 && words.every((word) => said.includes(word)))
        hits.push(`earlier here: ${cut(part.text)}`);
    }
  }
  return hits;
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= shownCharacters ? line : `${line.slice(0, shownCharacters).toWellFormed()}…`;
}
