import type { ModelRequest, Part } from '@palimpsest/core';

/** Ways to ask for something said earlier; the group is what to look for. */
const questions: readonly RegExp[] = [
  /\bwhat (?:did|have|had) (?:i|we|you|they|he|she) (?:say|said|tell you|told you|write|written|decide|decided|agree|agreed)(?: on| about| of)? (.+)/i,
  /\b(?:do|can) you (?:remember|recall)(?: what (?:i|we) said)?(?: about)? (.+)/i,
  /\b(?:find|recall|look up|look for|search)(?: for)? (.+)/i,
  /\bwas habe? (?:ich|wir) (?:über|zu) (.+?) gesagt/i,
  /\b(?:finde|suche)(?: nach)? (.+)/i,
];

/** Words that say nothing about what is looked for. */
const emptyWords = new Set(
  (
    'a an and are at be been can could did do does for from had has have hello hey hi how i in is it me my of on or our ' +
    'please remember recall said say she he so tell that the their there they this to us was we were what when where ' +
    'which who whom whose why will with would you your called name about again anything something'
  ).split(' '),
);

/** What to look for. `asked`: the person asked for a search in so many words, so that finding nothing is an answer too. */
export interface Question {
  query: string;
  asked: boolean;
}

/** What the person's newest message asks to be found; null when it asks for something else. */
export function findQuestion(text: string): Question | null {
  for (const pattern of questions) {
    const query = pattern
      .exec(text)?.[1]
      ?.trim()
      .replace(/[\s?!.…]+$/, '');
    if (query) return { query: query.slice(0, 200), asked: true };
  }
  // Any other question may be about something said earlier.
  const words = /\?\s*$/.test(text) ? wordsOf(text) : [];
  return words.length > 0 ? { query: words.slice(0, 12).join(' '), asked: false } : null;
}

/** The words of a query that mean something; all of them when none does. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !emptyWords.has(word));
}

/** The newest message of the person and what came after it. */
export function newestMessage(request: ModelRequest): { index: number; text: string } | null {
  const index = request.messages.findLastIndex(
    (message) => message.role === 'user' && message.parts.some((part) => textOf(part) !== ''),
  );
  const text = request.messages[index]?.parts.map(textOf).findLast((said) => said !== '');
  return text === undefined ? null : { index, text };
}

/** What a part says, of a long text its beginning and end. */
function textOf(part: Part): string {
  if (part.type === 'text') return part.text.trim();
  return part.type === 'payload' ? part.preview.trim() : '';
}
