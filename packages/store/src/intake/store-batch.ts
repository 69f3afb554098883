/** Store a batch of clean updates inside a transaction: a dozen statements, however many updates. */
import { createHash } from 'node:crypto';
import type { IncomingUpdate, IntakePolicy, StoredUpdate } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { planOnce, run, together, type Transaction } from '../database.ts';
import { applyDeletion } from './apply-deletion.ts';
import { applyEdit } from './apply-edit.ts';
import { findBotStreaks } from './bot-streaks.ts';
import { findGrants } from './find-grants.ts';
import { isSpoken, judge, type Known, refused, type Spoken, type Verdict } from './judge.ts';
import { type ChatMove, moveChat } from '../outbox/move-chat.ts';
import { offerPairings, type OfferedCode, type Stranger, writePairings } from '../access/offer-pairings.ts';
import { noteSeen } from './note-seen.ts';
import { type LockedPlace, lockPlaces, placeKey, placeOf, seatKey, type WantedPlace } from './places.ts';
import { refuseOverflow, tellOverflow } from './refuse-overflow.ts';
import { dropOldOverheard } from './write-overheard.ts';
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
    if (fresh.some((accepted) => accepted.inboxId === inboxId)) continue;
    fresh.push({ inboxId, verdict, place, traceparent: update.traceparent });
  }
  const verdicts = judged.map((entry) => entry.verdict);
  await together(() => [
    writeMailbox(tx, policy, fresh),
    writeSignals(tx, fresh),
    noteSeen(tx, policy.account, verdicts),
  ]);
  const ignored = new Map<number, string>();
  for (const accepted of fresh) {
    const reason = await applyEdit(tx, accepted);
    if (reason !== null) ignored.set(accepted.inboxId, reason);
  }
  await dropOldOverheard(tx, policy, fresh);
  await applyDeletions(tx, policy.account, { judged, inboxIds });
  await tellOverflow(
    tx,
    policy,
    judged.filter(({ update }) => inboxIds.has(storedKey(update.updateKey))),
  );
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
  const [, grants, identities, streaks] = await together(() => [
    run(tx, sql`SELECT ${planOnce}`, 'plan_once'),
    findGrants(tx, policy, updates),
    findIdentities(tx, platform, updates.flatMap(senderIdOf)),
    findBotStreaks(tx, policy, updates),
  ]);
  const verdicts = judgeInOrder(policy, updates, { grants, streaks });
  const offered = policy.pairingText ? await offerPairings(tx, policy, verdicts.flatMap(strangerOf)) : [];
  for (const verdict of verdicts) if (verdict.kind === 'moved') await moveChat(tx, toMove(policy, verdict));
  const spoken = verdicts.filter(isSpoken);
  await writeIdentities(tx, platform, {
    senders: spoken.map((verdict) => verdict.content.sender),
    known: identities,
  });
  const places = await lockPlaces(tx, policy, {
    spoken: [
      ...spoken.filter(({ kind }) => kind !== 'edit').map((one) => seatOf(policy, one)),
      ...offered.map(({ chat }) => chat),
    ],
    seen: [
      ...spoken.filter(({ kind }) => kind === 'edit').map((one) => seatOf(policy, one)),
      ...updates.flatMap(chatOf),
    ],
  });
  await writePairings(
    tx,
    policy,
    offered.flatMap((code) => atItsPlace(code, places)),
  );
  return updates.map((update, index) =>
    refuseOverflow(policy, atPlace(policy, { update, verdict: verdicts[index] as Verdict, places })),
  );
}

/** One after the other: what other bots say in this batch counts for what they say next. */
function judgeInOrder(
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
  known: { grants: Known['grants']; streaks: ReadonlyMap<string, number> },
): Verdict[] {
  const streaks = new Map(known.streaks);
  return updates.map((update) => {
    const verdict = judge(policy, update, {
      grants: known.grants,
      botStreak: (place) => streaks.get(placeKey(place)) ?? 0,
    });
    if (isSpoken(verdict) && verdict.kind !== 'edit') {
      const { chat, sender } = verdict.content;
      const key = placeKey(chat);
      streaks.set(key, sender.isBot ? (streaks.get(key) ?? 0) + 1 : 0);
    }
    return verdict;
  });
}

function strangerOf(verdict: Verdict): Stranger[] {
  if (verdict.kind !== 'refused' || verdict.isStranger !== true) return [];
  const { chat, sender } = verdict.origin;
  return chat === undefined || sender === undefined ? [] : [{ chat, sender }];
}

function atItsPlace(code: OfferedCode, places: ReadonlyMap<string, LockedPlace>) {
  const place = places.get(seatKey(code.chat));
  return place === undefined ? [] : [{ ...code, chatRowId: place.chatRowId, sessionId: place.sessionId }];
}

/** Where a message belongs: its chat, and of the people there the one whose session it is. */
function seatOf(policy: IntakePolicy, { content }: Spoken): WantedPlace {
  return placeOf(policy, content);
}

function chatOf({ content }: IncomingUpdate): WantedPlace[] {
  return 'chat' in content && content.chat !== undefined ? [content.chat] : [];
}

function senderIdOf({ content }: IncomingUpdate): string[] {
  return content.kind === 'message' || content.kind === 'edit' ? [content.sender.id] : [];
}

function toMove(policy: IntakePolicy, moved: { fromChatId: string; toChatId: string }): ChatMove {
  const { platform, id } = policy.account;
  return { platform, account: id, fromChatId: moved.fromChatId, toChatId: moved.toChatId };
}

function atPlace(
  policy: IntakePolicy,
  judged: { update: IncomingUpdate; verdict: Verdict; places: ReadonlyMap<string, LockedPlace> },
): Judged {
  const { update, verdict, places } = judged;
  if (!isSpoken(verdict)) return { update, verdict, place: null };
  const place = places.get(seatKey(seatOf(policy, verdict))) ?? null;
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
  ignored: ReadonlyMap<number, string>,
): StoredUpdate[] {
  const told = new Set<string>();
  return judged.map(({ update, verdict, place, askedId }) => {
    const { updateKey } = update;
    const inboxId = inboxIds.get(storedKey(updateKey));
    if (inboxId === undefined || told.has(updateKey)) return { updateKey, result: 'duplicate' };
    told.add(updateKey);
    if (verdict.kind === 'refused') return { updateKey, result: verdict.status, reason: verdict.reason };
    const reason = ignored.get(inboxId);
    if (reason !== undefined) return { updateKey, result: 'ignored', reason };
    return { updateKey, result: 'stored', sessionId: place?.sessionId ?? askedId };
  });
}
