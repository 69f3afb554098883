/** Store a batch of clean updates inside a transaction: a dozen statements, however many updates. */
import { createHash } from 'node:crypto';
import type { IncomingUpdate, IntakePolicy, StoredUpdate } from '@palimpsest/core';
import { together, type Transaction } from '../database.ts';
import { applyDeletion } from './apply-deletion.ts';
import { applyEdit } from './apply-edit.ts';
import { findGrants } from './find-grants.ts';
import { isSpoken, judge, refused, type Spoken, type Verdict } from './judge.ts';
import { type ChatMove, moveChat } from '../outbox/move-chat.ts';
import { noteSeen } from './note-seen.ts';
import { type LockedPlace, lockPlaces, placeKey } from './places.ts';
import { findIdentities, writeIdentities } from './write-identities.ts';
import { type InboxRow, storedKey, writeInbox } from './write-inbox.ts';
import { type Accepted, writeMailbox } from './write-mailbox.ts';
import { writeSignals } from './write-signals.ts';

interface Judged {
  update: IncomingUpdate;
  verdict: Verdict;
  place: LockedPlace | null;
  /** The session that was asked to erase what the update says was deleted. */
  askedId?: string;
}

/** One result an update, in order. */
export async function storeBatch(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<StoredUpdate[]> {
  const judged = await judgeAll(tx, policy, updates);
  const inboxIds = await writeInbox(tx, policy.account, judged.map(toInboxRow));
  const fresh: Accepted[] = [];
  for (const { update, verdict, place } of judged) {
    const inboxId = inboxIds.get(storedKey(update.updateKey));
    if (inboxId === undefined || place === null || !isSpoken(verdict)) continue;
    if (!fresh.some((accepted) => accepted.inboxId === inboxId)) fresh.push({ inboxId, verdict, place });
  }
  const verdicts = judged.map((entry) => entry.verdict);
  await together(() => [
    writeMailbox(tx, policy, fresh),
    writeSignals(tx, fresh),
    noteSeen(tx, policy.account, verdicts),
  ]);
  const ignored = new Set<number>();
  for (const accepted of fresh) if (!(await applyEdit(tx, accepted))) ignored.add(accepted.inboxId);
  await applyDeletions(tx, policy.account, { judged, inboxIds });
  return results(judged, inboxIds, ignored);
}

/** Behind the messages of the batch: one of them may be deleted already. */
async function applyDeletions(
  tx: Transaction,
  account: IntakePolicy['account'],
  { judged, inboxIds }: { judged: readonly Judged[]; inboxIds: ReadonlyMap<string, number> },
): Promise<void> {
  const done = new Set<number>();
  for (const entry of judged) {
    const inboxId = inboxIds.get(storedKey(entry.update.updateKey));
    if (entry.verdict.kind !== 'deleted' || inboxId === undefined || done.has(inboxId)) continue;
    done.add(inboxId);
    const { chatId, messageIds } = entry.verdict;
    entry.askedId = (await applyDeletion(tx, account, { chatId, messageIds, inboxId })) ?? undefined;
  }
}

async function judgeAll(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<Judged[]> {
  const { platform } = policy.account;
  const [grants, known] = await together(() => [
    findGrants(tx, policy, updates),
    findIdentities(tx, platform, updates.flatMap(senderIdOf)),
  ]);
  const verdicts = updates.map((update) => judge(policy, update, grants));
  for (const verdict of verdicts) if (verdict.kind === 'moved') await moveChat(tx, toMove(policy, verdict));
  const spoken = verdicts.filter(isSpoken);
  await writeIdentities(tx, platform, { senders: spoken.map((verdict) => verdict.content.sender), known });
  const places = await lockPlaces(tx, policy, {
    spoken: spoken.flatMap((verdict) => (verdict.kind === 'edit' ? [] : [verdict.content.chat])),
    seen: updates.flatMap(({ content }) =>
      'chat' in content && content.chat !== undefined ? [content.chat] : [],
    ),
  });
  return updates.map((update, index) => atPlace(update, verdicts[index] as Verdict, places));
}

function senderIdOf({ content }: IncomingUpdate): string[] {
  return content.kind === 'message' || content.kind === 'edit' ? [content.sender.id] : [];
}

function toMove(policy: IntakePolicy, moved: { fromChatId: string; toChatId: string }): ChatMove {
  const { platform, id } = policy.account;
  return { platform, account: id, fromChatId: moved.fromChatId, toChatId: moved.toChatId };
}

function atPlace(update: IncomingUpdate, verdict: Verdict, places: ReadonlyMap<string, LockedPlace>): Judged {
  if (!isSpoken(verdict)) return { update, verdict, place: null };
  const place = places.get(placeKey(verdict.content.chat)) ?? null;
  // An edit where nobody ever talked to us changes nothing.
  if (place === null) return { update, verdict: refused('ignored', 'not_addressed', verdict.content), place };
  return { update, verdict, place };
}

function toInboxRow({ update, verdict, place }: Judged): InboxRow {
  const { updateKey, raw } = update;
  if (verdict.kind === 'deleted') return { updateKey, raw, status: 'stored', chatId: verdict.chatId };
  if (verdict.kind === 'moved') return { updateKey, raw, status: 'stored', chatId: verdict.fromChatId };
  if (isSpoken(verdict)) {
    return {
      updateKey,
      raw,
      status: 'stored',
      messageKey: messageKey(verdict),
      sessionId: place?.sessionId,
      ...ids(verdict.content),
    };
  }
  const { status, reason, origin } = verdict;
  const row = { updateKey, status, reason, ...ids(origin) };
  // Nothing that somebody we do not serve wrote is kept; what we could not read is all there is to find out why.
  return status === 'unparsed' ? { ...row, raw } : row;
}

function ids(origin: {
  chat?: { chatId: string; threadId: string };
  sender?: { id: string };
  messageId?: string;
}) {
  const { chat, sender, messageId } = origin;
  return { chatId: chat?.chatId, threadId: chat?.threadId, senderId: sender?.id, messageId };
}

/** The same message by another road has the same key; two edits of one second differ by their text. */
function messageKey(verdict: Spoken): string {
  const { content } = verdict;
  const key = `${content.chat.chatId}/${content.messageId}`;
  if (content.kind === 'message') return key;
  const digest = createHash('sha256').update(content.text).digest('hex').slice(0, 16);
  return `${key}/${content.editedAt.getTime()}/${digest}`;
}

function results(
  judged: readonly Judged[],
  inboxIds: ReadonlyMap<string, number>,
  ignored: ReadonlySet<number>,
): StoredUpdate[] {
  const told = new Set<string>();
  return judged.map(({ update, verdict, place, askedId }) => {
    const { updateKey } = update;
    const inboxId = inboxIds.get(storedKey(updateKey));
    if (inboxId === undefined || told.has(updateKey)) return { updateKey, result: 'duplicate' };
    told.add(updateKey);
    if (verdict.kind === 'refused') return { updateKey, result: verdict.status, reason: verdict.reason };
    if (ignored.has(inboxId)) return { updateKey, result: 'ignored', reason: 'not_addressed' };
    return { updateKey, result: 'stored', sessionId: place?.sessionId ?? askedId };
  });
}
