import { createHash } from 'node:crypto';
import type { ErasedCounts, MailboxRow, NewReply } from '@palimpsest/core';
import type { ClaimedSession } from '../claimed-session.ts';
import { countErased } from '../declined.ts';
import { sayTo } from '../texts.ts';
import type { Say } from '../words/say.ts';

const askedForMs = 10 * 60 * 1000;

/**
 * /forget: asks for a code · /forget CODE within ten minutes: the person is erased everywhere, and the answer is written in
 * the same transaction. The code keeps one from doing it by mistake, no more; it follows from the request, so that nothing
 * has to be kept of it, and goes with it.
 *
 * returns  what is left to be told; null when it is done
 */
export async function forgetCommand(
  claimed: ClaimedSession,
  row: MailboxRow,
  asked: { argument: string; replyWith: (text: string) => NewReply },
): Promise<string | null> {
  const { content, chat } = row;
  if (content.kind !== 'command') return 'Operators erase a person with `palimpsest person erase`.';
  const say = sayTo(row);
  if (chat.place.kind !== 'direct') return say('forgetDirectOnly');
  const code = asked.argument.trim().toUpperCase();
  if (code === '') return say('forgetAsk', { code: codeOf(claimed.session.id, row) });
  const { erase } = claimed.deps.store;
  const wanted = { name: 'forget', senderId: content.message.senderId, withinMs: askedForMs };
  const before = await erase.askedBefore(claimed.session.id, wanted);
  if (!before.some((request) => codeOf(claimed.session.id, request) === code)) return say('forgetWrong');
  const who = { platform: chat.account.platform, userId: content.message.senderId };
  const request = { row, replies: (counts: ErasedCounts) => [asked.replyWith(doneText(counts, say))] };
  const counts = await erase.person(who, { lease: claimed.lease, request });
  countErased(claimed, counts);
  claimed.view.forget();
  await claimed.refresh();
  claimed.deps.logger.info({ sessionId: claimed.session.id, ...counts }, 'a person was erased');
  return null;
}

function codeOf(sessionId: string, { seq, acceptedAt }: { seq: number; acceptedAt: Date }): string {
  const digest = createHash('sha256').update(`${sessionId}/${seq}/${acceptedAt.getTime()}`).digest('hex');
  return digest.slice(0, 6).toUpperCase();
}

function doneText({ payloads: files, undone: _undone, ...counts }: ErasedCounts, say: Say): string {
  return say('forgotten', { ...counts, files });
}
