import { cleanText } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';

const mostCharacters = 100;

/** /title [text]: what this conversation is called, for /sessions and the operators' pages; a text gives another title. */
export async function titleCommand(claimed: ClaimedSession, argument: string, say: Say): Promise<string> {
  const { session, deps } = claimed;
  const wished = cleanText(argument).replace(/\s+/g, ' ').trim();
  if (wished === '')
    return session.title === undefined
      ? say('noTitle')
      : say('titleIs', { title: say('quoted', { text: session.title }) });
  if ([...wished].length > mostCharacters)
    return say('titleTooLong', { limit: mostCharacters, count: [...wished].length });
  const others = await deps.store.turns.conversations(session.id);
  if (others.some(({ id, title }) => id !== session.id && isSame(title, wished)))
    return say('titleTaken', { title: say('quoted', { text: wished }) });
  claimed.change({ title: wished });
  await deps.store.turns.patchSession(claimed.lease, claimed.takePatch());
  return say('titleGiven', { title: say('quoted', { text: wished }) });
}

export function isSame(title: string | null, wished: string): boolean {
  return title !== null && title.toLowerCase() === wished.toLowerCase();
}
