import type { ModelRequest } from '@palimpsest/core';

import { findQuestion, wordsOf } from './find-question.ts';

const shownHits = 3;
const shownCharacters = 300;

/**
 * Answer a question from what session_search returned and from what still stands in the conversation, where the lines
 * with the most of its words come first; null when nothing was found.
 *
 * before   index of the question: only older messages count
 */
export function answerFromSearch(
  query: string,
  found: string,
  conversation: { request: ModelRequest; before: number },
): string | null {
  const lines = [...saidInConversation(query, conversation), ...hitsOf(found)].slice(0, shownHits);
  if (lines.length === 0) return null;
  return [`(offline responder) About "${query}" I found:`, ...lines.map((line) => `- ${line}`)].join('\n');
}

/**
 * The lines that match, which session_search marks with `> `: what people said, no questions, no lines of tools and none
 * of our own. Time and name in front are ours too; the row's number is left out.
 */
function hitsOf(found: string): string[] {
  return found.split('\n').flatMap((line) => {
    const hit = /^> \[([^\]]*)\] (.*?) \(id \d+\): (.*)$/.exec(line);
    if (!hit) return [];
    const [, at, who, text] = hit as unknown as [string, string, string, string];
    if (who === 'assistant' || who === 'tool' || who === 'user' || findQuestion(text) !== null) return [];
    return [`${at}, ${who}: ${cut(text)}`];
  });
}

function saidInConversation(
  query: string,
  { request, before }: { request: ModelRequest; before: number },
): string[] {
  const words = wordsOf(query);
  const hits: { text: string; words: number }[] = [];
  for (const message of request.messages.slice(0, before).toReversed()) {
    if (message.role !== 'user') continue;
    for (const part of message.parts) {
      if (part.type !== 'text' || findQuestion(part.text) !== null) continue;
      const said = part.text.toLowerCase();
      const matched = words.filter((word) => said.includes(word)).length;
      if (matched > 0) hits.push({ text: `earlier here: ${cut(part.text)}`, words: matched });
    }
  }
  // Newest first among equals; a line with one word of three is no answer when another has two.
  const most = Math.max(0, ...hits.map((hit) => hit.words));
  return hits.filter((hit) => hit.words === most).map((hit) => hit.text);
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= shownCharacters ? line : `${line.slice(0, shownCharacters).toWellFormed()}…`;
}
