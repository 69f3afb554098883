import type {
  AccountRef,
  ActionStore,
  BoardStore,
  Clock,
  CompactionStore,
  Config,
  DcpStore,
  EraseStore,
  HookStore,
  LcmStore,
  LeaseStore,
  LocalChatStore,
  Logger,
  NoticeStore,
  OperatorStore,
  Queue,
  StoredUpdate,
  TranscriptStore,
  UsageStore,
} from '@palimpsest/core';
import type { Hono } from 'hono';
import type { ContextReader } from './context/context-reader.ts';

/** One message typed into the page, as the local adapter takes it. */
export interface TypedMessage {
  chatId: string;
  /** Made by the page, so that a repeated POST is stored once. */
  messageId: string;
  text: string;
  senderId: string;
  senderName: string;
  sentAt: Date;
  /** The id of an older message whose text this replaces. */
  edits?: string;
}

/** The half of the local adapter that a POST goes through; resolves once the message is committed. */
export interface LocalIntake {
  submit(message: TypedMessage): Promise<StoredUpdate>;
}

export interface AccountHealth {
  account: AccountRef;
  /** Last sign of life from the platform in this process; null before the first. */
  lastAlive: Date | null;
}

/** What the pages need: ports, never a token or a model key. */
export interface PagesDeps {
  operators: Pick<OperatorStore, 'ping' | 'sessions' | 'session' | 'denied' | 'figures' | 'requestState'>;
  boards: BoardStore;
  actions: ActionStore;
  hooks: Pick<HookStore, 'dead' | 'settleDead'>;
  erase: Pick<EraseStore, 'session' | 'noteExport'>;
  compactions: Pick<CompactionStore, 'ledger'>;
  localChat: LocalChatStore;
  transcript: Pick<TranscriptStore, 'page' | 'liveHeaders' | 'bodies'>;
  dcp: Pick<DcpStore, 'load' | 'blocks' | 'savings' | 'events'>;
  lcm: Pick<
    LcmStore,
    | 'load'
    | 'summaries'
    | 'heads'
    | 'rowsUnder'
    | 'status'
    | 'doctor'
    | 'describe'
    | 'sourcesOf'
    | 'messagesOf'
    | 'messageCounts'
    | 'exportGraph'
    | 'draw'
    | 'writtenBy'
  >;
  usage: Pick<UsageStore, 'ofSession' | 'today'>;
  context: ContextReader;
  notices: NoticeStore;
  leases: Pick<LeaseStore, 'holder'>;
  queue: Pick<Queue, 'ping' | 'counts' | 'backend' | 'wake' | 'deliver' | 'boards'>;
  /** Null: only /healthz, /readyz and /metrics are served (gateway or worker alone). */
  listener: LocalIntake | null;
  meter: { text(): Promise<string>; readonly contentType: string };
  config: Config;
  health: { accounts(): readonly AccountHealth[] };
  /** With a password every page asks for it: the operators' and, if set, the one that opens figures only. */
  password: string | null;
  viewerPassword?: string | null;
  /** Window of the model that answers, tokens. */
  windowTokens: number;
  modelLabel: string;
  clock: Clock;
  logger: Logger;
  /** Name of this process in lease rows. */
  owner: string;
  /** More routes, outside the guards: a platform's webhook checks its own secret. */
  mount?(app: Hono): void;
  /** Delay of the event loop, ms; measured here unless a test gives it. */
  loopLagMs?(): number;
}
