/** Builders for updates as a platform's adapter hands them to the store. */
import type {
  AccessLists,
  AccountRef,
  ChatPlace,
  FinishedTurn,
  IncomingEdit,
  IncomingMessage,
  IncomingUpdate,
  IntakePolicy,
  Lease,
  MailboxRow,
  NewReply,
  NewRow,
  NextWork,
  Platform,
  Sender,
  Store,
  Turn,
} from '@palimpsest/core';

export const account: AccountRef = { platform: 'telegram', id: '900' };
export const ada: Sender = { id: '42', name: 'Ada', isBot: false, language: 'en' };
export const stranger: Sender = { id: '666', name: 'Mallory', isBot: false };
/** Ada's direct chat with the bot. */
const adasChat: ChatPlace = { chatId: '42', threadId: '', kind: 'direct' };
export const group: ChatPlace = { chatId: '-1001', threadId: '', kind: 'group', title: 'Printers' };

export function policy(change: Partial<IntakePolicy> = {}): IntakePolicy {
  return {
    account,
    lists: { allowAll: false, allowedUsers: ['42', '43'], allowedChats: [] },
    engine: 'compressor',
    waitForMoreMs: 60_000,
    requireMention: true,
    ...change,
  };
}

export interface MessageWish extends Partial<Omit<IncomingMessage, 'kind'>> {
  updateKey?: string;
}

/** A message of Ada in her direct chat; key and message id follow from `id`. */
export function messageUpdate(id: number, text: string, wish: MessageWish = {}): IncomingUpdate {
  const { updateKey = String(1000 + id), ...rest } = wish;
  const content: IncomingMessage = {
    kind: 'message',
    chat: adasChat,
    sender: ada,
    messageId: String(id),
    text,
    sentAt: new Date('2026-11-29T12:00:00Z'),
    addressed: true,
    ...rest,
  };
  return { updateKey, raw: Buffer.from(`{"update_id":${updateKey}}`), content };
}

export function commandUpdate(id: number, name: string, argument = ''): IncomingUpdate {
  return messageUpdate(id, `/${name} ${argument}`, { command: { name, argument } });
}

export function editUpdate(key: number, messageId: number, text: string): IncomingUpdate {
  const content: IncomingEdit = {
    kind: 'edit',
    chat: adasChat,
    sender: ada,
    messageId: String(messageId),
    text,
    editedAt: new Date('2026-11-29T12:05:00Z'),
  };
  return { updateKey: String(key), raw: Buffer.from('{}'), content };
}

/** What the turn package does with a mailbox row, as short as it can be. */
export function render(row: MailboxRow): NewRow {
  if (row.content.kind === 'operator') throw new Error('an operator request is no transcript row');
  const { message } = row.content;
  const text = row.content.kind === 'edit' ? `edited: ${message.text}` : message.text;
  return {
    role: 'user',
    kind: 'person',
    parts: [{ type: 'text', text }],
    tokens: 5,
    sentAt: message.sentAt,
    sender: { id: message.senderId, name: message.senderName },
    platformMessageId: message.messageId,
  };
}

/** Store updates and give the session of the first stored one. */
export async function arrive(store: Store, ...updates: IncomingUpdate[]): Promise<string> {
  const results = await store.intake.storeUpdates(policy(), updates);
  const sessionId = results.find((result) => result.sessionId !== undefined)?.sessionId;
  if (sessionId === undefined) throw new Error(`no update was stored: ${JSON.stringify(results)}`);
  return sessionId;
}

export async function claimed(store: Store, sessionId: string, owner = 'worker-1'): Promise<Lease> {
  const result = await store.turns.claim(sessionId, owner, 60_000);
  if (result.kind !== 'claimed') throw new Error(`the session is ${result.kind}`);
  return result.lease;
}

export function next(store: Store, lease: Lease, collect = true, bodies?: number): Promise<NextWork> {
  return store.turns.nextWork(lease, {
    bodies,
    maxTexts: 20,
    maxCharacters: 100_000,
    maxAttempts: 3,
    collect,
    lists: listsOfAll(),
    render,
  });
}

export async function nextTurn(store: Store, lease: Lease): Promise<Turn> {
  const work = await next(store, lease);
  if (work.kind !== 'turn') throw new Error(`the next work is ${work.kind}`);
  return work.turn;
}

export function answerRow(text: string): NewRow {
  return { role: 'assistant', kind: 'assistant', parts: [{ type: 'text', text }], tokens: 7 };
}

export function reply(turn: Turn, text: string): NewReply {
  return { key: `${turn.id}:final`, chat: turn.chat, kind: 'final', text, turnId: turn.id };
}

/** The end of a turn with a plain answer. */
export function answered(lease: Lease, turn: Turn, text: string): FinishedTurn {
  return {
    lease,
    turnId: turn.id,
    outcome: 'answered',
    step: turn.lastStep + 1,
    rows: [answerRow(text)],
    usage: null,
    replies: [reply(turn, text)],
    events: [],
  };
}

/** Finish a turn with a plain answer. */
export async function answer(store: Store, lease: Lease, turn: Turn, text: string): Promise<void> {
  await store.turns.finishTurn(answered(lease, turn, text));
}

/** The lists of `policy()` on every platform. */
export function listsOfAll(): Record<Platform, AccessLists> {
  const { lists } = policy();
  return { telegram: lists, discord: lists, local: lists };
}
