import type { Conversation } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import type { Say } from '../words/say.ts';

const mostShown = 10;
const mostWords = 60;

/**
 * /sessions [words]: the conversations that whoever asks may see, newest first, with the numbers that /resume takes. In a
 * group those of the group, in a direct chat all direct ones of the person.
 */
export async function sessionsCommand(claimed: ClaimedSession, argument: string, say: Say): Promise<string> {
  const { session, deps } = claimed;
  const all = await deps.store.turns.conversations(session.id);
  const wished = argument.trim().toLowerCase();
  const numbered = all.map((conversation, index) => ({ conversation, number: index + 1 }));
  const found = numbered.filter(({ conversation }) => matches(conversation, wished));
  if (found.length === 0)
    return say('noSuchTitle', { words: say('quoted', { text: argument.trim().slice(0, 40) }) });
  const lines = found
    .slice(0, mostShown)
    .map(({ conversation, number }) =>
      line(conversation, { number, isThis: conversation.id === session.id, say }),
    );
  const more = found.length > mostShown ? [say('moreSessions', { count: found.length - mostShown })] : [];
  const how = session.chatKind === 'direct' && all.length > 1 ? [say('resumeHow')] : [];
  return [...lines, ...more, ...how].join('\n');
}

/** The part of an id that tells it from others. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** The title, else the beginning of what was said last. */
export function nameOf({ title, lastWords }: Conversation, say: Say): string {
  if (title !== null) return say('quoted', { text: title });
  const words = (lastWords ?? '').replace(/\s+/g, ' ').trim();
  if (words === '') return say('nothingSaid');
  return words.length > mostWords ? `${words.slice(0, mostWords).toWellFormed().trimEnd()}…` : words;
}

function line(
  conversation: Conversation,
  { number, isThis, say }: { number: number; isThis: boolean; say: Say },
): string {
  const { id, messages, quietMs } = conversation;
  const facts = [say.counted(messages, 'message'), isThis ? say('thisOne') : say.ago(quietMs), shortId(id)];
  return `${number}. ${nameOf(conversation, say)} (${facts.join(', ')})`;
}

function matches({ id, title }: Conversation, wished: string): boolean {
  return wished === '' || id.toLowerCase().includes(wished) || (title ?? '').toLowerCase().includes(wished);
}
