import type { Platform } from '../chat.ts';

export interface SessionOverview {
  id: string;
  title: string | null;
  platform: Platform;
  chatKind: 'direct' | 'group';
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
}

export interface AccessEntry {
  platform: Platform;
  kind: 'user' | 'chat';
  id: string;
  access: 'allow' | 'deny';
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
  sessions: number;
}

/** What operators read and may change without holding a session. */
export interface OperatorStore {
  ping(): Promise<{ version: string; migrated: boolean }>;
  sessions(options: {
    limit: number;
    offset: number;
    order: 'activity' | 'context';
  }): Promise<readonly SessionOverview[]>;
  session(sessionId: string): Promise<SessionOverview | null>;
  access(platform?: Platform): Promise<readonly AccessEntry[]>;
  setAccess(entry: {
    platform: Platform;
    kind: 'user' | 'chat';
    id: string;
    access: 'allow' | 'deny';
  }): Promise<void>;
  denied(limit: number): Promise<readonly DeniedEntry[]>;
  figures(): Promise<HealthFigures>;
  /** Access grants of one sender and chat, for the second check before the turn. */
  grants(
    platform: Platform,
    userId: string,
    chatId: string,
  ): Promise<{ user: 'allow' | 'deny' | null; chat: 'allow' | 'deny' | null }>;
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
