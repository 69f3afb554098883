import type { Conversation, MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { counted } from './duration-words.ts';
import { nameOf, shortId } from './sessions-command.ts';
import { isSame } from './title-command.ts';

const howText = '/sessions shows them; /resume takes a number of that list, an id or a title.';

/**
 * /resume NUMBER | ID | TITLE: this direct chat goes on in another conversation of its person; what waits moves along, the
 * conversation that is left can be resumed like any other.
 *
 * returns  why nothing was done, which is left to tell; null when it was done
 */
export async function resumeCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  wish: { argument: string; replyWith: (text: string) => NewReply },
): Promise<string | null> {
  const { session, deps } = claimed;
  const isDirect = session.chatKind === 'direct' && row.chat.place.kind === 'direct';
  if (!isDirect || row.content.kind === 'operator')
    return '/resume works only in direct messages with the bot: a conversation never moves between a group and a person.';
  const all = await deps.store.turns.conversations(session.id);
  const found = find(all, wish.argument.trim());
  if (typeof found === 'string') return found;
  if (found.id === session.id) return `This chat is in ${nameOf(found)} already.`;
  const text = `This chat goes on with ${nameOf(found)} (${counted(found.messages, 'message')}). /resume ${shortId(session.id)} goes back; nothing of either is lost.`;
  claimed.engine.onSessionEnd(session);
  await deps.store.turns.resumeSession(claimed.lease, {
    row,
    targetId: found.id,
    replies: [wish.replyWith(text)],
  });
  await deps.queue.wake(found.id);
  return null;
}

/** The one that is meant, or why none is. */
function find(all: readonly Conversation[], wished: string): Conversation | string {
  if (wished === '') return `Which one? ${howText}`;
  if (/^\d{1,3}$/.test(wished)) return all[Number(wished) - 1] ?? `There is no number ${wished}. ${howText}`;
  const byId = /^[\da-f_]{4,}$/i.test(wished)
    ? all.filter(({ id }) => id === wished || id.endsWith(wished.toLowerCase()))
    : [];
  const found = byId.length > 0 ? byId : all.filter(({ title }) => isSame(title, wished));
  if (found.length > 1) return `That fits ${counted(found.length, 'conversation')}. ${howText}`;
  return found[0] ?? `There is no such conversation here. ${howText}`;
}
