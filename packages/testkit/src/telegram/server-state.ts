/** Everything the fake server knows; methods read and change it. */
import type { ChatBook } from './chat-book.ts';
import type { FloodGate } from './flood-gate.ts';
import type { LongPoll } from './long-poll.ts';
import type { SchemaChecker } from './schema-checker.ts';
import type { SentMessages } from './sent-messages.ts';
import type { FakeTelegramClock, User } from './types.ts';
import type { UpdateQueue } from './update-queue.ts';
import type { WebhookPush, WebhookSetting } from './webhook-push.ts';

/** A file that can be downloaded. */
export interface StoredFile {
  readonly file_id: string;
  readonly file_path: string;
  readonly bytes: Buffer;
  /** Size to report; may be larger than the bytes, to test limits. */
  readonly size: number;
}

/** A draft that people see while the bot writes; gone 30 s after its last change. */
export interface Draft {
  readonly draftId: number;
  readonly threadId?: number;
  readonly text: string;
  readonly untilMs: number;
  /** There is a button to stop it. */
  readonly canStop: boolean;
  /** Stopped, it stays until it fades. */
  readonly staysOnStop: boolean;
}

/** A "typing…" that was shown. */
export interface ShownAction {
  readonly chatId: number;
  readonly action: string;
  readonly threadId?: number;
}

/** An answer to a pressed button. */
export interface CallbackAnswer {
  readonly callback_query_id: string;
  readonly text?: string;
  readonly show_alert?: boolean;
}

/** One menu entry. */
export interface BotCommand {
  readonly command: string;
  readonly description: string;
}

/** State of one fake server. */
export interface ServerState {
  readonly checker: SchemaChecker;
  readonly clock: FakeTelegramClock;
  readonly me: User;
  /** Privacy mode is off. */
  readonly hearsAll: boolean;
  readonly chats: ChatBook;
  readonly queue: UpdateQueue;
  readonly poll: LongPoll;
  readonly flood: FloodGate;
  readonly sent: SentMessages;
  readonly violations: string[];
  /** Menus by scope and language, see commandKey. */
  readonly commands: Map<string, readonly BotCommand[]>;
  /** Buttons that still want an answer. */
  readonly openCallbacks: Set<string>;
  readonly callbackAnswers: CallbackAnswer[];
  readonly files: Map<string, StoredFile>;
  /** Paths that getFile gave, and until when they can be downloaded. */
  readonly links: Map<string, number>;
  readonly drafts: Map<number, Draft>;
  readonly actions: ShownAction[];
  /** The bot's reaction by `chat:message`. */
  readonly reactions: Map<string, string>;
  readonly startWebhook: (setting: WebhookSetting) => WebhookPush;
  webhook: WebhookPush | undefined;
}

/** Unix seconds now. */
export function nowSeconds(state: ServerState): number {
  return Math.floor(state.clock.now().getTime() / 1000);
}

/** What a method knows of the call beside its parameters. */
export interface CallContext {
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** Carries out one method; gives the result or throws ApiError. */
export type Handler = (state: ServerState, params: Record<string, unknown>, call: CallContext) => unknown;

/** Make a handler with typed parameters. */
export function method<P>(run: (state: ServerState, params: P, call: CallContext) => unknown): Handler {
  // The schema has been checked before a handler runs, so the shape is proved; this is the one cast.
  return (state, params, call) => run(state, params as P, call);
}
