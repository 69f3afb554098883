import type { Account, Linked, MailboxRow, NewReply, Platform } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';

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
  const who = accountIn(claimed, row);
  if (typeof who === 'string') return who;
  if (!links) return 'Accounts cannot be linked here.';
  const code = asked.argument.trim();
  if (code === '') return codeText(await links.issue(who, row.chat));
  const linked = await links.redeem(claimed.lease, {
    row,
    who,
    code,
    replies: ({ platform }) => [asked.replyWith(linkedText(platform))],
  });
  if (linked.kind !== 'linked') return refusedText(linked);
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
  const who = accountIn(claimed, row);
  if (typeof who === 'string') return who;
  const done = await links?.unlink(claimed.lease, { row, who, replies: [asked.replyWith(unlinkedText)] });
  return done ? null : 'This account is linked with no other. /link gives a code for that.';
}

/** Whose account it is; a text where it cannot be linked. */
function accountIn({ session }: ClaimedSession, { chat, content }: MailboxRow): Account | string {
  const { platform } = chat.account;
  const isDirect = session.chatKind === 'direct' && chat.place.kind === 'direct';
  if (!isDirect || content.kind === 'operator')
    return 'Accounts are linked only in direct messages with the bot: nobody else may see the code.';
  if (platform === 'local')
    return 'The local web chat belongs to whoever runs this bot; only accounts of Telegram and Discord are linked.';
  return { platform, userId: content.message.senderId };
}

function codeText(code: string): string {
  return [
    `Send me this in a direct message from your other account, within an hour: /link ${code}`,
    'That chat then goes on with this conversation. Whoever has the code can read what is said here, so show it to nobody.',
  ].join('\n');
}

function linkedText(platform: Platform): string {
  return `Linked with your account on ${platformNames[platform]}. This chat goes on with the conversation from there; /sessions shows those of both, /unlink parts them again.`;
}

function refusedText(linked: Exclude<Linked, { kind: 'linked' }>): string {
  if (linked.kind === 'own') return 'That code is your own. Send it to me from your other account.';
  if (linked.kind === 'locked')
    return `There were too many wrong codes. Try again in ${linked.minutes} minutes.`;
  return linked.left === 0
    ? 'That code is wrong or older than an hour, and it was the fifth in a row. Try again in an hour.'
    : 'That code is wrong or older than an hour. Send /link from your other account for a new one.';
}

const unlinkedText =
  'This account is on its own again. A conversation that was shared stays where it began; the other side begins a new one with its next message.';
