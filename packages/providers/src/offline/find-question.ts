import type { ModelRequest, Part } from '@palimpsest/core';

/** Ways to ask for something said earlier; the group is what to look for. */
const questions: readonly RegExp[] = [
  /\bwhat (?:did|have|had) (?:i|we|you|they|he|she) (?:say|said|tell you|told you|write|written|decide|decided|agree|agreed)(?: on| about| of)? (.+)/i,
  /\b(?:do|can) you (?:remember|recall)(?: what (?:i|we) said)?(?: about)? (.+)/i,
  /\b(?:find|recall|look up|look for|search)(?: for)? (.+)/i,
  /\bwas habe? (?:ich|wir) (?:über|zu) (.+?) gesagt/i,
  /\b(?:finde|suche)(?: nach)? (.+)/i,
];

/** What the person's newest message asks to be found; null when it asks for something else. */
export function findQuestion(text: string): string | null {
  for (const pattern of questions) {
    const query = pattern
      .exec(text)?.[1]
      ?.trim()
      .replace(/[\s?!.…]+$/, '');
    if (query) return query.slice(0, 200);
  }
  return null;
}

/** The newest message of the person and what came after it. */
export function newestMessage(request: ModelRequest): { index: number; text: string } | null {
  const index = request.messages.findLastIndex(
    (message) => message.role === 'user' && message.parts.some(isText),
  );
  const part = request.messages[index]?.parts.findLast(isText);
  return part?.type === 'text' ? { index, text: part.text } : null;
}

function isText(part: Part): boolean {
  return part.type === 'text' && part.text.trim() !== '';
}
