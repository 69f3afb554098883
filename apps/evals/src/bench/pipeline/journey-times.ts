import type { Store } from '@palimpsest/core';

/** When each message passed which point, ms of this process's clock. */
export class JourneyTimes {
  readonly #committed = new Map<string, number>();
  readonly #claimed = new Map<string, number>();
  readonly #stored = new Map<string, number>();
  readonly #messagesOfTurn = new Map<string, readonly string[]>();
  #expected = Infinity;
  #allStored = Promise.withResolvers<void>();
  turns = 0;
  failedWakes = 0;
  refusedIntakes = 0;
  /** Statements that the store sent, BEGIN and COMMIT included. */
  statements = 0;

  /** Forget what was, and count the replies of so many messages. */
  begin(expectedMessages: number): void {
    for (const times of [this.#committed, this.#claimed, this.#stored, this.#messagesOfTurn]) times.clear();
    this.#expected = expectedMessages;
    this.#allStored = Promise.withResolvers<void>();
    this.turns = 0;
    this.failedWakes = 0;
    this.refusedIntakes = 0;
    this.statements = 0;
  }

  statementSent(): void {
    this.statements += 1;
  }

  intakeRefused(): void {
    this.refusedIntakes += 1;
  }

  wakeFailed(): void {
    this.failedWakes += 1;
  }

  /** Resolves when every message has its reply in the database. */
  get allStored(): Promise<void> {
    return this.#allStored.promise;
  }

  get answered(): number {
    return this.#stored.size;
  }

  committed(messageIds: readonly string[]): void {
    const now = performance.now();
    for (const id of messageIds) this.#committed.set(id, now);
  }

  /** The store as the worker gets it: the claiming and the finishing transaction note their time once they have committed. */
  watch(store: Store): Store {
    const { turns } = store;
    return {
      ...store,
      turns: {
        ...turns,
        nextWork: async (lease, options) => {
          const work = await turns.nextWork(lease, options);
          if (work.kind === 'turn') {
            this.#claim(
              work.turn.id,
              work.turn.mailbox.map((row) =>
                row.content.kind === 'operator' ? '' : row.content.message.messageId,
              ),
            );
          }
          return work;
        },
        finishTurn: async (finished) => {
          const end = await turns.finishTurn(finished);
          this.#finish(finished.turnId);
          return end;
        },
      },
    };
  }

  /** Commit of the message → commit of the claim, ms, a value a message. */
  toClaim(): number[] {
    return this.#since(this.#claimed);
  }

  /** Commit of the message → commit of the turn with its reply. */
  toReply(): number[] {
    return this.#since(this.#stored);
  }

  lastReplyAt(): number {
    return [...this.#stored.values()].reduce((latest, at) => Math.max(latest, at), 0);
  }

  #claim(turnId: string, messageIds: readonly string[]): void {
    const now = performance.now();
    this.turns += 1;
    this.#messagesOfTurn.set(turnId, messageIds);
    for (const id of messageIds) this.#claimed.set(id, now);
  }

  #finish(turnId: string): void {
    const now = performance.now();
    for (const id of this.#messagesOfTurn.get(turnId) ?? []) this.#stored.set(id, now);
    if (this.#stored.size >= this.#expected) this.#allStored.resolve();
  }

  /** A session that is at work may claim a message before our side has seen its commit: that is no wait at all. */
  #since(times: ReadonlyMap<string, number>): number[] {
    return [...times].map(([id, at]) => Math.max(0, at - (this.#committed.get(id) ?? at)));
  }
}
