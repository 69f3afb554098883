import type { UserGrant } from '../access.ts';
import type { Platform } from '../chat.ts';
import type { Command } from '../incoming.ts';

export interface SessionOverview {
  id: string;
  title: string | null;
  platform: Platform;
  chatKind: 'direct' | 'group';
  /** The platform's id of the chat; of the local chat the name its page was given. */
  chatId: string;
  chatTitle: string | null;
  engine: string;
  model: string | null;
  lastPromptTokens: number;
  liveRows: number;
  archivedRows: number;
  liveTokens: number;
  compactions: number;
  pending: number;
  running: boolean;
  lastActivityAt: Date;
  /** Set once another session took its place. */
  endedAt: Date | null;
  /** Of all its model calls whose price is known. */
  dollars: number;
}

export interface AccessEntry {
  platform: Platform;
  kind: 'user' | 'chat';
  id: string;
  access: UserGrant;
  name: string | null;
  changedAt: Date;
}

export interface DeniedEntry {
  platform: Platform;
  senderId: string;
  chatId: string;
  reason: string;
  times: number;
  lastAt: Date;
}

export interface HealthFigures {
  mailboxPending: number;
  oldestPendingSeconds: number;
  outboxPending: number;
  outboxUnknown: number;
  outboxDead: number;
  turnsRunning: number;
  /** Of those the ones that nobody holds, and that nobody took up for two minutes. */
  turnsLeft: number;
  sessions: number;
}

/** What waits on one platform; seconds are the age of the oldest. */
export interface WaitingFigures {
  platform: Platform;
  pending: number;
  oldestSeconds: number;
}

/** What one process of all measures in the database. */
export interface GaugeFigures {
  /** Every platform stands in both, with 0 where nothing waits. */
  mailbox: readonly WaitingFigures[];
  delivery: readonly WaitingFigures[];
  deliveryUnknown: number;
  dead: { mailbox: number; outbox: number; hook: number };
  turnsRunning: number;
  sessions: number;
  /** Sessions of the last day whose prompt is over the trigger of their newest attempt, and over the safety net's. */
  overThreshold: { agent: number; hygiene: number };
  /** Sessions that rest: after strikes, after a hold that ran out, after failures. */
  resting: { agent: number; hygiene: number; background: number };
  lcmDebts: readonly { reason: string; sessions: number; oldestSeconds: number }[];
  lcmBreakers: readonly { provider: string; model: string; isOpen: boolean }[];
  lcmSpendBackoffs: number;
  /** What operators did, as the list of it has it: an OperatorAct, from where, and how often. */
  acts: readonly { act: string; via: string; times: number }[];
  /** Sessions under the lossless engine, the ones used last first, at most 20. */
  lcmSessions: readonly string[];
}

/** An operator's request in a session's mailbox. */
export interface OperatorRequest {
  sessionId: string;
  seq: number;
}

/** `gone`: it moved along to another session, which carries it out. */
export interface RequestState {
  state: 'pending' | 'claimed' | 'done' | 'dead' | 'withdrawn' | 'gone';
  answer: string | null;
}

/** What operators read and may change without holding a session. */
export interface OperatorStore {
  /**
   * `now` is the database's clock; `ctype` names the rules for characters of the database; `unknownMigrations` were run by
   * a newer version.
   */
  ping(): Promise<{
    version: string;
    migrated: boolean;
    unknownMigrations: number;
    now: Date;
    ctype: string;
  }>;
  sessions(options: {
    limit: number;
    offset: number;
    order: 'activity' | 'context' | 'cost';
    /** Words of a title, the id of a chat, the beginning or end of a session's id. */
    search?: string;
    /** Titles that people gave are passed over: whoever asks may not read them. */
    blindToTitles?: boolean;
  }): Promise<readonly SessionOverview[]>;
  session(sessionId: string): Promise<SessionOverview | null>;
  /**
   * Ask for something to be done to a session: a mailbox row behind what waits there already; the caller wakes the session.
   * Throws row_missing for an unknown session, input_invalid for one that has ended.
   */
  request(sessionId: string, command: Command): Promise<OperatorRequest>;
  requestState(request: OperatorRequest): Promise<RequestState>;
  /** Take a request back that nobody has taken up; false when somebody has. */
  withdrawRequest(request: OperatorRequest): Promise<boolean>;
  access(platform?: Platform): Promise<readonly AccessEntry[]>;
  setAccess(entry: {
    platform: Platform;
    kind: 'user' | 'chat';
    id: string;
    access: 'allow' | 'deny';
  }): Promise<void>;
  denied(limit: number): Promise<readonly DeniedEntry[]>;
  /**
   * Whether operators are to be told something that is told once an installation: true the first time and whenever
   * `value` is another than the last one; it then counts as told.
   */
  tellOnce(name: string, value: string): Promise<boolean>;
  /** What counts as told under a name; null: nothing yet. */
  lastTold(name: string): Promise<string | null>;
  figures(): Promise<HealthFigures>;
  /** For the one exporter; read every few seconds. */
  gauges(): Promise<GaugeFigures>;
  /** Access grants of one sender and chat, for the second check before the turn. */
  grants(
    platform: Platform,
    userId: string,
    chatId: string,
  ): Promise<{ user: UserGrant | null; chat: 'allow' | 'deny' | null }>;
}

/** Things that just happened, by LISTEN/NOTIFY; may be missed, never needed for correctness. */
export type StoreNotice =
  | { kind: 'progress'; chatRowId: number; turnId: string; sessionId: string }
  | { kind: 'reply'; chatRowId: number; account: string }
  | { kind: 'signal'; sessionId: string }
  | { kind: 'compaction'; sessionId: string }
  | { kind: 'mailbox'; sessionId: string };

export interface NoticeStore {
  /** Reconnects by itself; `onNotice` must not throw. */
  subscribe(onNotice: (notice: StoreNotice) => void): Promise<{ close(): Promise<void> }>;
}
