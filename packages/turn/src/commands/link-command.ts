import type { Account, Linked, MailboxRow, NewReply, Platform } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';

/** The platforms' names, as people write them. */
const platformNames: Readonly<Record<Platform, string>> = {
  telegram: 'Telegram',
  discord: 'Discord',
  local: 'the local web chat',
};

interface Asked {
  argument: string;
  replyWith: (text: string) => NewReply;
}

/**
 * /link: a one-time code for an account of the same person elsewhere. /link CODE there: both are one person, and the chat goes
 * on in the conversation of the first. Rights stay with each account.
 *
 * returns  what is left to tell; null when it was done and told
 */
export async function linkCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  asked: Asked,
): Promise<string | null> {
  const { links } = claimed.deps.store;
  const say = sayTo(row);
  const who = accountIn(claimed, row, say);
  if (typeof who === 'string') return who;
  if (!links) return say('linkNotHere');
  const code = asked.argument.trim();
  if (code === '') {
    const sent = say('linkSend', { code: await links.issue(who, row.chat) });
    return `${sent}\n${say('linkWarning')}`;
  }
  const linked = await links.redeem(claimed.lease, {
    row,
    who,
    code,
    replies: ({ platform }) => [asked.replyWith(say('linked', { platform: platformNames[platform] }))],
  });
  if (linked.kind !== 'linked') return refusedText(linked, say);
  if (linked.sessionId !== claimed.session.id) claimed.engine.onSessionEnd(claimed.session);
  await claimed.deps.queue.wake(linked.sessionId);
  return null;
}

/** /unlink: the account is a person of its own again. Returns as `linkCommand`. */
export async function unlinkCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  asked: Asked,
): Promise<string | null> {
  const { links } = claimed.deps.store;
  const say = sayTo(row);
  const who = accountIn(claimed, row, say);
  if (typeof who === 'string') return who;
  const replies = [asked.replyWith(say('unlinked'))];
  return (await links?.unlink(claimed.lease, { row, who, replies })) ? null : say('notLinked');
}

/** Whose account it is; a text where it cannot be linked. */
function accountIn({ session }: ClaimedSession, { chat, content }: MailboxRow, say: Say): Account | string {
  const { platform } = chat.account;
  const isDirect = session.chatKind === 'direct' && chat.place.kind === 'direct';
  if (!isDirect || content.kind === 'operator') return say('linkDirectOnly');
  if (platform === 'local') return say('linkNotLocal');
  return { platform, userId: content.message.senderId };
}

function refusedText(linked: Exclude<Linked, { kind: 'linked' }>, say: Say): string {
  if (linked.kind === 'own') return say('linkOwnCode');
  if (linked.kind === 'locked') return say('linkLocked', { minutes: linked.minutes });
  return say(linked.left === 0 ? 'linkFifthWrong' : 'linkWrong');
}
