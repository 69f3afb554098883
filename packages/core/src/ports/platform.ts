import type { AccountRef, ChatPlace } from '../chat.ts';
import type { IncomingUpdate, IntakeResult, Interaction } from '../incoming.ts';
import type { IncomingMedia, OutgoingFile } from '../media.ts';

/** What intake did with one update, for acks and counters. */
export interface StoredUpdate {
  updateKey: string;
  result: IntakeResult;
  reason?: string;
  sessionId?: string;
}

/** Stores a batch in one transaction. When it throws, nothing of the batch is confirmed to the platform. */
export type StoreUpdates = (updates: readonly IncomingUpdate[]) => Promise<readonly StoredUpdate[]>;

/**
 * The incoming half of an adapter. `run` ends when the signal fires, or throws a GatewayError that names what to do
 * (`platform_unauthorised`: do not restart). It confirms an update only after `store` returned.
 */
export interface PlatformListener {
  readonly account: AccountRef;
  run(store: StoreUpdates, signal: AbortSignal): Promise<void>;
  /** Last sign of life from the platform; null before the first. */
  lastAlive(): Date | null;
}

/** What a platform said when it was asked for a file. */
export type FetchedMedia =
  | { kind: 'fetched'; bytes: Uint8Array }
  | { kind: 'too_large'; limitBytes: number }
  | { kind: 'gone'; message: string }
  /** Worth another try, not before `waitMs`. */
  | { kind: 'retry'; message: string; waitMs?: number };

/** Fetches the files that people sent; never throws for a platform's refusal. */
export interface MediaFetcher {
  readonly account: AccountRef;
  /** `maxBytes` or the platform's own limit, whichever is smaller; a file announced as larger is not asked for. */
  fetch(
    file: { place: ChatPlace; messageId: string; media: IncomingMedia },
    limits: { maxBytes: number; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<FetchedMedia>;
}

/** How a reply is written: answers of a model in Markdown, our own notices in plain words. */
export type Markup = 'markdown' | 'plain';

/** A stretch of a part's text in the platform's own words; UTF-16 units. */
export interface PartEntity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

/**
 * What a part is beside its text. `file`: the text is what stands in the file, `caption` is the message. `payload`: the
 * text is the caption of a file whose bytes are kept elsewhere.
 */
export type PartForm =
  | { kind: 'entities'; entities: readonly PartEntity[] }
  | { kind: 'file'; name: string; caption: string }
  | ({ kind: 'payload' } & OutgoingFile);

/** `fileCaption`: what is said with the file of a very long text; left out: in English. */
export interface SplitOptions {
  noFile?: boolean;
  fileCaption?: string;
}

/** One message as `split` made it: within the platform's limit, sent once, stored before it is. */
export interface PartContent {
  text: string;
  form?: PartForm;
}

/** One message to send. */
export interface OutgoingPart extends PartContent {
  place: ChatPlace;
  replyToMessageId?: string;
  /** Of a part of form `payload`. */
  bytes?: Uint8Array;
  /** The slash command that the part answers, where it is a reply's first. */
  interaction?: Interaction;
  /** Stable over retries and restarts; Discord sends it as nonce. At most 25 characters. */
  nonce: string;
  /** A former send of this part may have arrived although no receipt is stored. */
  mayBeOut?: boolean;
}

/** What became of a send. `unknown`: the answer was lost, the message may be out. */
export type SendResult =
  /** `remark`: what operators should know of it. */
  | { kind: 'sent'; platformMessageId: string; remark?: string }
  | { kind: 'unknown'; message: string }
  | { kind: 'wait'; waitMs: number; scope: 'chat' | 'account' }
  /** The chat is gone, blocked or forbidden: stop sending there. */
  | { kind: 'unreachable'; message: string }
  | { kind: 'moved'; toChatId: string }
  | { kind: 'retry'; message: string }
  /** Files cannot be sent there; text can. */
  | { kind: 'file_refused'; message: string }
  | { kind: 'failed'; message: string };

/** A message that is out. */
export interface MessageRef {
  place: ChatPlace;
  platformMessageId: string;
}

/** What a sign under a message means: it is stored, or how its turn ended. */
export type ReactionSign = 'seen' | 'answered' | 'stopped' | 'failed';

/** The outgoing half of an adapter. Never throws for a platform's refusal. */
export interface PlatformSender {
  readonly account: AccountRef;
  /**
   * Parts in order, none over the limit. Joined they give the text as people see it (white space at cuts and reopened
   * code blocks aside), or, unless `noFile`, the first part and a file with the whole text. Equal texts give equal parts.
   */
  split(text: string, markup: Markup, options?: SplitOptions): readonly PartContent[];
  send(part: OutgoingPart, signal: AbortSignal): Promise<SendResult>;
  /**
   * Change a message that is out; one that has this text already counts as changed, and repeating it does no harm.
   * `failed`: it cannot be changed (any more). Left out: the platform shows no previews.
   */
  edit?(part: OutgoingPart & { platformMessageId: string }, signal: AbortSignal): Promise<SendResult>;
  /** Take a message away; one that is gone already counts as taken away. */
  remove?(message: MessageRef, signal: AbortSignal): Promise<SendResult>;
  /** Show a text that is not stored by the platform and fades by itself; equal ids change it. Direct chats only. */
  draft?(
    draft: { place: ChatPlace; draftId: number; text: string },
    signal: AbortSignal,
  ): Promise<SendResult>;
  /** Put the bot's one sign under a person's message, in place of the one before. */
  react?(message: MessageRef, sign: ReactionSign, signal: AbortSignal): Promise<SendResult>;
  typing(place: ChatPlace): Promise<void>;
  /** How often typing must be repeated, ms; 0 = never. */
  readonly typingEveryMs: number;
  /**
   * Whether a part whose answer was lost may be sent again: same nonce within minutes gives the same message
   * (Discord), else the message may appear twice and is marked (Telegram).
   */
  readonly repeatIsSafe: boolean;
  /** Called after the receipt of a part is committed; the local chat tells its pages to look. */
  delivered?(place: ChatPlace): void;
  close(): Promise<void>;
}
