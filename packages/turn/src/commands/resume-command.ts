import type { Conversation, MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';
import { nameOf, shortId } from './sessions-command.ts';
import { isSame } from './title-command.ts';

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
  const say = sayTo(row);
  const isDirect = session.chatKind === 'direct' && row.chat.place.kind === 'direct';
  if (!isDirect || row.content.kind === 'operator') return say('resumeDirectOnly');
  const all = await deps.store.turns.conversations(session.id);
  const found = find(all, wish.argument.trim(), say);
  if (typeof found === 'string') return found;
  if (found.id === session.id) return say('inAlready', { name: nameOf(found, say) });
  const text = say('goesOnWith', {
    name: nameOf(found, say),
    messages: say.counted(found.messages, 'message'),
    id: shortId(session.id),
  });
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
function find(all: readonly Conversation[], wished: string, say: Say): Conversation | string {
  const how = say('sessionsHow');
  if (wished === '') return `${say('whichOne')} ${how}`;
  if (/^\d{1,3}$/.test(wished))
    return all[Number(wished) - 1] ?? `${say('noNumber', { number: wished })} ${how}`;
  const byId = /^[\da-f_]{4,}$/i.test(wished)
    ? all.filter(({ id }) => id === wished || id.endsWith(wished.toLowerCase()))
    : [];
  const found = byId.length > 0 ? byId : all.filter(({ title }) => isSame(title, wished));
  if (found.length > 1)
    return `${say('fitsSeveral', { conversations: say.counted(found.length, 'conversation') })} ${how}`;
  return found[0] ?? `${say('noConversation')} ${how}`;
}
