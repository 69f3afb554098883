import type { ModelRequest } from '@palimpsest/core';

const mark = '(offline responder)';
const begin = 'No model answered this: no model key is set.';
const helpText =
  `${begin} Your message is kept, and I can look things up: ` +
  'write "find" and a few words, or ask "what did I say about" something. For real answers set ANTHROPIC_API_KEY, ' +
  'OPENROUTER_API_KEY or OPENAI_API_KEY, for example in the file .env, and start again.';

/** Ways to ask for something to be kept. */
const wishes =
  /\b(?:remember|note|keep in mind|do not forget|don't forget)\b|\bmerke? dir\b|\bvergiss nicht\b/i;

/**
 * The answer to what asks for no search: that it is kept. The long text, which says what this responder is, comes once:
 * as long as an answer with it stands in the conversation, a line is enough.
 */
export function keptText(request: ModelRequest, said: string): string {
  const isWish = wishes.test(said);
  if (!wasExplained(request)) return isWish ? `${mark} Noted. ${helpText}` : `${mark} ${helpText}`;
  return isWish
    ? `${mark} Noted: I keep it word for word. Ask for it whenever you like.`
    : `${mark} Kept. Write "find" and a few words to look something up.`;
}

/** The person has read in this conversation what this responder is. */
export function wasExplained({ messages }: ModelRequest): boolean {
  return messages.some(
    ({ role, parts }) =>
      role === 'assistant' && parts.some((part) => part.type === 'text' && part.text.includes(begin)),
  );
}
