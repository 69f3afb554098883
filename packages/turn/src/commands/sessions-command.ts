import type { Conversation } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { counted, durationWords } from './duration-words.ts';
import { quoted } from './title-command.ts';

const mostShown = 10;
const mostWords = 60;

/**
 * /sessions [words]: the conversations that whoever asks may see, newest first, with the numbers that /resume takes. In a
 * group those of the group, in a direct chat all direct ones of the person.
 */
export async function sessionsCommand(claimed: ClaimedSession, argument: string): Promise<string> {
  const { session, deps } = claimed;
  const all = await deps.store.turns.conversations(session.id);
  const wished = argument.trim().toLowerCase();
  const numbered = all.map((conversation, index) => ({ conversation, number: index + 1 }));
  const found = numbered.filter(({ conversation }) => matches(conversation, wished));
  if (found.length === 0)
    return `No conversation here has ${JSON.stringify(argument.trim().slice(0, 40))} in its title or id.`;
  const lines = found
    .slice(0, mostShown)
    .map(({ conversation, number }) =>
      line(conversation, { number, isThis: conversation.id === session.id }),
    );
  const more =
    found.length > mostShown
      ? [`… and ${found.length - mostShown} more; /sessions WORDS looks for a title.`]
      : [];
  const how =
    session.chatKind === 'direct' && all.length > 1 ? ['/resume NUMBER goes on with one of them.'] : [];
  return [...lines, ...more, ...how].join('\n');
}

/** The part of an id that tells it from others. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** The title, else the beginning of what was said last. */
export function nameOf({ title, lastWords }: Conversation): string {
  if (title !== null) return quoted(title);
  const words = (lastWords ?? '').replace(/\s+/g, ' ').trim();
  if (words === '') return 'nothing said yet';
  return words.length > mostWords ? `${words.slice(0, mostWords).toWellFormed().trimEnd()}…` : words;
}

function line(conversation: Conversation, { number, isThis }: { number: number; isThis: boolean }): string {
  const { id, messages, quietMs } = conversation;
  const facts = [
    counted(messages, 'message'),
    isThis ? 'this one' : `${durationWords(quietMs)} ago`,
    shortId(id),
  ];
  return `${number}. ${nameOf(conversation)} (${facts.join(', ')})`;
}

function matches({ id, title }: Conversation, wished: string): boolean {
  return wished === '' || id.toLowerCase().includes(wished) || (title ?? '').toLowerCase().includes(wished);
}
