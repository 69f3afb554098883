import type { LocalChatStore, StoreNotice } from '@palimpsest/core';
import type { LiveEvent } from './event-stream.ts';
import type { NoticeFeed } from './notice-hub.ts';

/** The account every local chat belongs to (`accountKey`). */
const localAccountKey = 'local-local';
const busyPatienceMs = 1_000;
const idlePatienceMs = 4_000;
/** Turns of other chats that were looked up; forgotten in a lump, each costs one look. */
const foreignTurns = 500;

/**
 * News of one local chat: `progress` (text so far, or null), `reply` and `notice` with the outbox id, so that a browser
 * that was away gets every one it missed.
 */
export class ChatFeed implements NoticeFeed {
  /** Text so far is written every 250 ms at most; two looks in that time show all of it. */
  readonly restMs = 100;
  readonly #store: LocalChatStore;
  readonly #chatId: string;
  #afterId: number;
  #turnId: string | null = null;
  #lastProgress = '';
  #heardTurns = new Set<string>();
  readonly #foreignTurns = new Set<string>();

  constructor(store: LocalChatStore, chatId: string, afterId: number) {
    this.#store = store;
    this.#chatId = chatId;
    this.#afterId = afterId;
  }

  /** A notice names a chat by its row and not by its id, so a turn not met before is looked up once. */
  concerns(notice: StoreNotice): boolean {
    if (notice.kind === 'reply') return notice.account === localAccountKey;
    if (notice.kind !== 'progress') return false;
    if (notice.turnId === this.#turnId) return true;
    if (this.#foreignTurns.has(notice.turnId)) return false;
    this.#heardTurns.add(notice.turnId);
    return true;
  }

  async news(): Promise<readonly LiveEvent[]> {
    const heard = this.#heardTurns;
    this.#heardTurns = new Set();
    const [progress, replies] = await Promise.all([
      this.#store.progress(this.#chatId),
      this.#store.repliesAfter(this.#chatId, this.#afterId),
    ]);
    this.#turnId = progress?.turnId ?? null;
    this.#remember(heard);
    const events: LiveEvent[] = replies.map((reply) => ({
      event: reply.kind === 'notice' ? 'notice' : 'reply',
      data: reply,
      id: String(reply.id),
    }));
    this.#afterId = replies.at(-1)?.id ?? this.#afterId;
    const written = JSON.stringify(progress);
    if (written !== this.#lastProgress) events.push({ event: 'progress', data: progress });
    this.#lastProgress = written;
    return events;
  }

  patienceMs(): number {
    return this.#turnId === null ? idlePatienceMs : busyPatienceMs;
  }

  #remember(heard: ReadonlySet<string>): void {
    if (this.#foreignTurns.size > foreignTurns) this.#foreignTurns.clear();
    for (const turnId of heard) if (turnId !== this.#turnId) this.#foreignTurns.add(turnId);
  }
}
