/** chats and sessions of a batch, locked in one order, made when new. */
import { type ChatPlace, chatRule, type IntakePolicy, type Sender } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import type { NewSession } from '../create-session.ts';
import { run, together, type Transaction } from '../database.ts';
import { memberKey, sessionsOfMembers } from '../sessions-of-members.ts';
import { beginSession } from './begin-session.ts';

/** A place of the batch and where it leads. `nextMailboxSeq` is counted up while the batch is written. */
export interface LockedPlace {
  chatRowId: number;
  sessionId: string;
  seqs: MailboxSeqs;
}

/** One counter a session; several places may share it. */
export interface MailboxSeqs {
  sessionId: string;
  next: number;
  /** Messages that nobody has taken yet. */
  waiting: number;
}

interface ChatRecord {
  id: number;
  chat_id: string;
  thread_id: string;
  alias_of: number | null;
  session_id: string | null;
}

export function placeKey(place: Pick<ChatPlace, 'chatId' | 'threadId'>): string {
  return JSON.stringify([place.chatId, place.threadId]);
}

/** A place, and of the people there the one whose own session is meant; without one the session that all share. */
export interface WantedPlace extends ChatPlace {
  memberId?: string;
}

/** Key of a seat: a place, and who has a session of their own there. */
export function seatKey(place: Pick<WantedPlace, 'chatId' | 'threadId' | 'memberId'>): string {
  return JSON.stringify([place.chatId, place.threadId, place.memberId ?? '']);
}

/** Where something that was said belongs, by the rule of its chat, else of groups or threads. */
export function placeOf(policy: IntakePolicy, said: { chat: ChatPlace; sender: Sender }): WantedPlace {
  const { chat, sender } = said;
  if (chat.kind === 'direct') return chat;
  const { groups, threads } = policy.sessionsPerUser ?? { groups: false, threads: false };
  const isThread = chat.threadId !== '' || chat.isThread === true;
  const isPerUser = chatRule(policy.chats, chat, 'sessions_per_user') ?? (isThread ? threads : groups);
  return isPerUser ? { ...chat, memberId: sender.id } : chat;
}

/** Places of a batch. */
export interface WantedPlaces {
  /** Get a chat and a session when they have none. */
  spoken: readonly WantedPlace[];
  /** Only locked if they are known: edits and refused messages make nothing. */
  seen: readonly WantedPlace[];
}

/**
 * Lock the chats and their sessions until the end of the transaction, chats before sessions, both sorted, so that
 * batches of several gateways wait for each other instead of deadlocking, and messages of one chat come one after the
 * other. Returns the places that have a session, by seatKey.
 */
export async function lockPlaces(
  tx: Transaction,
  policy: IntakePolicy,
  wanted: WantedPlaces,
): Promise<ReadonlyMap<string, LockedPlace>> {
  const spoken = new Map(wanted.spoken.map((place) => [placeKey(place), place]));
  const seats = new Map([...wanted.seen, ...wanted.spoken].map((place) => [seatKey(place), place]));
  if (seats.size === 0) return new Map();
  const all = new Map([...seats.values()].map((place) => [placeKey(place), place]));
  const chats = await lockChats(tx, policy, { spoken, all });
  const toBegin = new Set(wanted.spoken.map(seatKey));
  const pointers = await pointersOf(tx, seats, chats);
  const seqs = await lockSessions(tx, [...pointers.values()]);
  for (const [pointer, counter] of await beginMissing(tx, policy, {
    seats,
    toBegin,
    chats,
    pointers,
    seqs,
  })) {
    pointers.set(pointer, counter.sessionId);
    seqs.set(counter.sessionId, counter);
  }
  const locked = new Map<string, LockedPlace>();
  for (const [key, place] of seats) {
    const chat = chats.get(placeKey(place));
    const counter = chat && seqs.get(pointers.get(pointerKey(chat, place)) ?? '');
    if (chat && counter) locked.set(key, { chatRowId: chat.id, sessionId: counter.sessionId, seqs: counter });
  }
  return locked;
}

interface Found {
  seats: ReadonlyMap<string, WantedPlace>;
  /** Keys of the seats that get a session when they have none. */
  toBegin: ReadonlySet<string>;
  chats: ReadonlyMap<string, ChatRecord>;
  pointers: ReadonlyMap<string, string>;
  seqs: ReadonlyMap<string, MailboxSeqs>;
}

/** A session for each seat that has none, sent together. Counters by pointerKey. */
async function beginMissing(
  tx: Transaction,
  policy: IntakePolicy,
  { seats, toBegin, chats, pointers, seqs }: Found,
): Promise<[string, MailboxSeqs][]> {
  const missing = new Map<string, { chat: ChatRecord; place: WantedPlace }>();
  for (const [key, place] of seats) {
    const chat = chats.get(placeKey(place));
    if (chat === undefined || !toBegin.has(key)) continue;
    const pointer = pointerKey(chat, place);
    if (!seqs.has(pointers.get(pointer) ?? '') && !missing.has(pointer))
      missing.set(pointer, { chat, place });
  }
  return together(() =>
    [...missing].map(async ([pointer, begun]): Promise<[string, MailboxSeqs]> => {
      const sessionId = await beginSession(tx, newSessionOf(policy, begun), begun.place.memberId);
      return [pointer, { sessionId, next: 1, waiting: 0 }];
    }),
  );
}

function newSessionOf(
  { account, engine }: IntakePolicy,
  { chat, place }: { chat: ChatRecord; place: WantedPlace },
): NewSession {
  return { engine, model: null, account, chatKind: place.kind, chatRowId: chat.id };
}

/** What points at a session: the chat, or one of its people. */
function pointerKey(chat: ChatRecord, { memberId }: WantedPlace): string {
  return memberId === undefined ? String(chat.id) : memberKey({ chatRowId: chat.id, userId: memberId });
}

/** Session ids by pointerKey. */
async function pointersOf(
  tx: Transaction,
  seats: ReadonlyMap<string, WantedPlace>,
  chats: ReadonlyMap<string, ChatRecord>,
): Promise<Map<string, string>> {
  const members = [...seats.values()].flatMap((place) => {
    const chat = chats.get(placeKey(place));
    return chat === undefined || place.memberId === undefined
      ? []
      : [{ chatRowId: chat.id, userId: place.memberId }];
  });
  const pointers = await sessionsOfMembers(tx, members);
  for (const { id, session_id: sessionId } of chats.values())
    if (sessionId !== null) pointers.set(String(id), sessionId);
  return pointers;
}

type Places = ReadonlyMap<string, ChatPlace>;

/** Locked rows by placeKey; a place that is an alias leads to the row it stands for. */
async function lockChats(tx: Transaction, policy: IntakePolicy, places: { spoken: Places; all: Places }) {
  let rows = await selectChats(tx, policy, places.all);
  const there = new Set(rows.map(keyOf));
  const missing = [...places.spoken].filter(([key]) => !there.has(key)).map(([, place]) => place);
  if (missing.length > 0) {
    const made = await insertChats(tx, policy, missing);
    // Another batch made some of them meanwhile.
    rows = made.length < missing.length ? await selectChats(tx, policy, places.all) : [...rows, ...made];
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of await aliasTargets(tx, rows)) if (!byId.has(row.id)) byId.set(row.id, row);
  return new Map(
    rows.map((row) => [keyOf(row), (row.alias_of === null ? null : byId.get(row.alias_of)) ?? row]),
  );
}

function keyOf(row: ChatRecord): string {
  return placeKey({ chatId: row.chat_id, threadId: row.thread_id });
}

function selectChats(tx: Transaction, policy: IntakePolicy, places: Places): Promise<ChatRecord[]> {
  const wanted = [...places.values()];
  return run<ChatRecord>(
    tx,
    sql`SELECT c.id, c.chat_id, c.thread_id, c.alias_of, c.session_id
        FROM chats c JOIN unnest(${sql.param(wanted.map((place) => place.chatId))}::text[],
                                 ${sql.param(wanted.map((place) => place.threadId))}::text[]) AS p(chat_id, thread_id)
          ON c.chat_id = p.chat_id AND c.thread_id = p.thread_id
        WHERE c.platform = ${policy.account.platform} AND c.account = ${policy.account.id}
        ORDER BY c.platform, c.account, c.chat_id, c.thread_id FOR NO KEY UPDATE OF c`,
    'lock_chats',
  );
}

/** Those that were new. */
function insertChats(
  tx: Transaction,
  policy: IntakePolicy,
  missing: readonly ChatPlace[],
): Promise<ChatRecord[]> {
  return run<ChatRecord>(
    tx,
    sql`INSERT INTO chats (platform, account, chat_id, thread_id, kind, title)
        SELECT ${policy.account.platform}::text, ${policy.account.id}::text, p."chatId", p."threadId", p.kind, p.title
        FROM jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) AS p("chatId" text, "threadId" text, kind text, title text)
        ORDER BY p."chatId", p."threadId"
        ON CONFLICT DO NOTHING RETURNING id, chat_id, thread_id, alias_of, session_id`,
    'insert_chats',
  );
}

async function aliasTargets(tx: Transaction, rows: readonly ChatRecord[]): Promise<ChatRecord[]> {
  const ids = rows.flatMap((row) => (row.alias_of === null ? [] : [row.alias_of]));
  if (ids.length === 0) return [];
  return run<ChatRecord>(
    tx,
    sql`SELECT id, chat_id, thread_id, alias_of, session_id FROM chats WHERE id = ANY(${sql.param(ids)}::bigint[])
        ORDER BY platform, account, chat_id, thread_id FOR NO KEY UPDATE`,
    'lock_alias_targets',
  );
}

async function lockSessions(
  tx: Transaction,
  sessionIds: readonly string[],
): Promise<Map<string, MailboxSeqs>> {
  const ids = [...new Set(sessionIds)];
  if (ids.length === 0) return new Map();
  const rows = await run<{ id: string; next_mailbox_seq: number; waiting: number }>(
    tx,
    sql`SELECT id, next_mailbox_seq, (SELECT count(*)::int FROM mailbox b WHERE b.session_id = s.id
          AND b.state IN ('pending', 'claimed') AND b.state = 'pending' AND b.kind = 'message') AS waiting
        FROM sessions s WHERE id = ANY(${sql.param(ids)}::text[]) ORDER BY id FOR NO KEY UPDATE`,
    'lock_sessions',
  );
  return new Map(
    rows.map((row) => [row.id, { sessionId: row.id, next: row.next_mailbox_seq, waiting: row.waiting }]),
  );
}
