import type { AccessLists } from '../access.ts';
import type { Platform } from '../chat.ts';
import type { OpenedCompaction } from './compaction-store.ts';
import type { CompactionPlan, EngineStateChange } from './context-engine.ts';
import type { GatewayEvent } from '../events.ts';
import type { MessageRow, NewRow } from '../message.ts';
import type { Lease, Session, SessionPatch } from '../session.ts';
import type {
  ChatTarget,
  MailboxRow,
  NewReply,
  NextWork,
  OpenRound,
  Signal,
  Turn,
  TurnOutcome,
} from '../turn.ts';
import type { HeardAudio } from '../media.ts';
import type { Usage } from '../usage.ts';

export type ClaimResult =
  /** `engineState`: what its engine keeps as JSON; null: nothing. */
  | { kind: 'claimed'; lease: Lease; session: Session; engineState: unknown }
  | { kind: 'busy'; owner: string }
  | { kind: 'unknown' };

export interface StoredRound {
  lease: Lease;
  turnId: string;
  /** >= 1, one higher than the last stored step. */
  step: number;
  /** The assistant row first, then one tool row a call, in call order. */
  rows: readonly NewRow[];
  usage: Usage | null;
  engineStates?: readonly EngineStateChange[];
  session?: SessionPatch;
  /** Compactions that the model asked for in this round; each gets a ledger row, and is applied, in the same transaction. */
  compactions?: readonly RoundCompaction[];
  /** What goes out with the round, such as files. */
  replies?: readonly NewReply[];
}

export interface RoundCompaction {
  opened: OpenedCompaction;
  plan: CompactionPlan;
  replies: readonly NewReply[];
}

export interface FinishedTurn {
  lease: Lease;
  turnId: string;
  outcome: TurnOutcome;
  step: number;
  rows: readonly NewRow[];
  usage: Usage | null;
  replies: readonly NewReply[];
  events: readonly GatewayEvent[];
  engineStates?: readonly EngineStateChange[];
  session?: SessionPatch;
  /** Give the lease back with it if the session has no mail, signal or turn left, due now or soon. */
  release?: boolean;
}

export interface TurnEnd {
  /** The last rows as they were stored. */
  rows: readonly MessageRow[];
  /** The lease was given back. */
  released: boolean;
}

/** A session that somebody in a chat may see and, in a direct chat, go on with. */
export interface Conversation {
  id: string;
  title: string | null;
  /** Since the last change, milliseconds of the database's clock. */
  quietMs: number;
  /** Live ones, tool results left out. */
  messages: number;
  /** Beginning of the newest message of a person; null when none is live. */
  lastWords: string | null;
}

/** How the next work is taken from the mailbox. */
export interface WorkOptions {
  /** Messages of one turn at most, >= 1. */
  maxTexts: number;
  /** Characters of the messages of one turn at most; one message is taken however long it is. */
  maxCharacters: number;
  /** Attempts of a turn or command before it is dead, >= 1. */
  maxAttempts: number;
  /** What waits is answered together, or one message after the other. */
  collect: boolean;
  /** Newest rows that the view of a turn holds whole; left out, no view is read. */
  bodies?: number;
  /** Asked before a turn begins, with who wrote its first message; false: not now. */
  admit?: (senderId: string) => boolean;
  /** For the second access check. */
  lists: Readonly<Record<Platform, AccessLists>>;
  /** `goesOn`: it is a further piece of the message before it. */
  render: (row: MailboxRow, goesOn: boolean) => NewRow;
}

/** What a running turn was given. */
export interface JoinedMail {
  mailbox: readonly MailboxRow[];
  rows: readonly MessageRow[];
}

/** Messages and commands that wait for a session's holder. */
export interface WaitingMail {
  messages: number;
  /** How long the oldest of all has waited, ms; 0 when none does. */
  oldestMs: number;
  /** Names, in order. */
  commands: readonly string[];
}

/**
 * The worker's side of a session. Every write locks the session row, compares the epoch and throws LeaseLost when it
 * moved on; then nothing was written.
 */
export interface TurnStore {
  /** Free or expired lease → epoch + 1, ours until now + leaseMs. Database clock. */
  claim(sessionId: string, owner: string, leaseMs: number): Promise<ClaimResult>;
  /** False when the lease is no longer ours. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Give it back; true when rows or signals are waiting (again), so that the caller wakes the session. */
  release(lease: Lease): Promise<boolean>;
  /**
   * Give it back if the session has no mail, signal or turn left, due now or soon. more: it has, and the lease is kept ·
   * waiting: given back, and something came at that moment, so that the caller wakes the session · done.
   */
  releaseWhenDone(lease: Lease): Promise<'more' | 'waiting' | 'done'>;
  session(sessionId: string): Promise<Session | null>;
  patchSession(lease: Lease, patch: SessionPatch): Promise<void>;

  /**
   * What comes next, in mailbox order. A turn left running by a dead holder comes first, as the next attempt.
   * New person's rows are appended (with turn id, step 0 and `render`'s row) in this same transaction: up to `maxTexts`
   * and `maxCharacters` of consecutive messages of one chat, or without `collect` the oldest one; commands and operators' requests one by one.
   * Pieces of one message stay together; `goesOn` marks each but the first. Edits that wait ride along. Before that the second access check: pending rows whose sender may no longer talk to the bot are withdrawn with their reason.
   */
  nextWork(lease: Lease, options: WorkOptions): Promise<NextWork>;
  /** Write down what was heard in the voice messages that `nextWork` named; whoever asks next gets their turn. */
  storeHeard(lease: Lease, heard: readonly HeardAudio[]): Promise<void>;
  /** Whether a message of the turn's chat is due that came behind those it answers. */
  mailBehind(sessionId: string, turn: Turn): Promise<boolean>;
  /**
   * Give the running turn what `nextWork` would take next, if it is of its chat and of people whom it answers: the rows
   * are appended and the mailbox rows are its own from now on. Empty when nothing is.
   */
  joinTurn(lease: Lease, turn: Turn, options: WorkOptions): Promise<JoinedMail>;
  /** Close a command or operator row with its reply and what an engine's command changed. */
  finishCommand(
    lease: Lease,
    row: MailboxRow,
    end: { replies: readonly NewReply[]; engineStates?: readonly EngineStateChange[] },
  ): Promise<void>;
  /** Close an operator's request with its answer, which the operator reads from the row; nobody in the chat hears of it. */
  answerOperator(lease: Lease, row: MailboxRow, answer: string): Promise<void>;
  /** Withdraw pending mailbox rows older than `beforeSeq`; how many. */
  withdrawPending(lease: Lease, beforeSeq: number): Promise<number>;
  /** Signals not yet taken, oldest first; they are gone afterwards. */
  takeSignals(lease: Lease): Promise<readonly Signal[]>;
  /** Replies outside a turn's end (notices, /status), and the events that they tell of. */
  addReplies(lease: Lease, replies: readonly NewReply[], events?: readonly GatewayEvent[]): Promise<void>;

  /**
   * Noted on the turn row before a tool that must not run twice is started, and again when one ends; `nextWork` gives it
   * back as `turn.openRound` and `storeRound`/`finishTurn` clear it.
   */
  saveOpenRound(lease: Lease, turnId: string, round: OpenRound): Promise<void>;
  storeRound(round: StoredRound): Promise<readonly MessageRow[]>;
  finishTurn(finished: FinishedTurn): Promise<TurnEnd>;
  /** The turn's mailbox rows become dead, with one reply telling the person. */
  buryTurn(lease: Lease, turn: Turn, replies: readonly NewReply[]): Promise<void>;
  /** W3C traceparent of the attempt that runs: its replies belong there. Needed before the first of them is written. */
  keepTrace(lease: Lease, turn: { id: string; traceparent: string }): Promise<void>;
  /** Put a turn back untouched (shutdown): same turn id, next attempt does not count against it. */
  suspendTurn(lease: Lease, turnId: string): Promise<void>;

  /** Text so far, for previews; at most every 250 ms; NOTIFY. Unlogged, may be lost. */
  putProgress(input: {
    sessionId: string;
    turnId: string;
    chatRowId: number;
    text: string;
    note: string;
  }): Promise<void>;

  /**
   * Sessions that whoever talks in this one may see, newest activity first: in a group those of its chat, in a direct chat
   * all direct ones of that person. Ended ones too, if there is something in them; itself in any case.
   */
  conversations(sessionId: string): Promise<readonly Conversation[]>;
  /** What waits in the session's mailbox. */
  waitingMail(sessionId: string): Promise<WaitingMail>;
  /**
   * /resume: point the command's chat at another session and close the command; the chat's pending mail moves along
   * (exclusive lock of the chats row). Throws input_invalid unless both are of direct chats.
   */
  resumeSession(
    lease: Lease,
    resumed: { row: MailboxRow; targetId: string; replies: readonly NewReply[] },
  ): Promise<void>;
  /** The highest seq of the session that is a summary or stands under one; 0: none. */
  summaryEnd(sessionId: string): Promise<number>;
  /**
   * Take back every live row from `fromSeq` on, and close the command (or the operator's request, with its answer) that
   * asked for it: withdrawn rows are neither read nor found again. The session's prompt counts are forgotten.
   */
  undoTurns(
    lease: Lease,
    taken: { fromSeq: number; row: MailboxRow; answer: string | null; replies: readonly NewReply[] },
  ): Promise<void>;
  /**
   * Take back what stands behind a turn's last row of a person and leave a new turn over the same rows, which `nextWork`
   * gives next; the command is closed.
   */
  retryTurn(
    lease: Lease,
    retried: { turnId: string; lastPersonSeq: number; row: MailboxRow; replies: readonly NewReply[] },
  ): Promise<void>;

  engineState(sessionId: string, engine: string): Promise<unknown>;
  /**
   * /reset: close this session and point its chat and pending mailbox rows at a new one (exclusive lock of the chats
   * row). /new: archive all live rows under a ledger row and stay.
   */
  resetSession(
    lease: Lease,
    chat: ChatTarget,
    replies: (newSessionId: string) => readonly NewReply[],
  ): Promise<string>;
}
