import { cleanText } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

const mostCharacters = 100;

/** /title [text]: what this conversation is called, for /sessions and the operators' pages; a text gives another title. */
export async function titleCommand(claimed: ClaimedSession, argument: string): Promise<string> {
  const { session, deps } = claimed;
  const wished = cleanText(argument).replace(/\s+/g, ' ').trim();
  if (wished === '')
    return session.title === undefined
      ? 'This conversation has no title yet; /title TEXT gives it one.'
      : `This conversation is called ${quoted(session.title)}; /title TEXT gives it another title.`;
  if ([...wished].length > mostCharacters)
    return `A title has at most ${mostCharacters} characters; this one has ${[...wished].length}.`;
  const others = await deps.store.turns.conversations(session.id);
  if (others.some(({ id, title }) => id !== session.id && isSame(title, wished)))
    return `Another conversation here is called ${quoted(wished)} already; please choose another title.`;
  claimed.change({ title: wished });
  await deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
  return `This conversation is called ${quoted(wished)} from now on.`;
}

export function isSame(title: string | null, wished: string): boolean {
  return title !== null && title.toLowerCase() === wished.toLowerCase();
}

export function quoted(title: string): string {
  return `“${title}”`;
}
