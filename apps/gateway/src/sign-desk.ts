/** Signs under people's messages: "seen" once they are stored, how their turn ended once its answer is out. */
import type {
  ChatPlace,
  IncomingUpdate,
  OutboxReply,
  PlatformSender,
  ReactionSign,
  StoredUpdate,
} from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { Lanes } from './lanes.ts';

/** A flood of messages gets no signs beyond these that are on their way. */
const mostWaiting = 200;

/**
 * Behind the same gates as messages, and never worth an error, a wait or a second try: a sign that does not come changes
 * nothing.
 */
export class SignDesk {
  readonly #deps: GatewayDeps;
  readonly #sender: PlatformSender;
  readonly #lanes = new Lanes<string>();
  readonly #ending = new AbortController();
  #waiting = 0;

  constructor(deps: GatewayDeps, sender: PlatformSender) {
    this.#deps = deps;
    this.#sender = sender;
  }

  /** After the commit; commands are answered at once and get none. */
  seen(updates: readonly IncomingUpdate[], stored: readonly StoredUpdate[]): void {
    if (!this.#isOn()) return;
    for (const [index, { content }] of updates.entries()) {
      const isTaken = stored[index]?.result === 'stored' && stored[index].sessionId !== undefined;
      if (content.kind !== 'message' || content.command || !isTaken) continue;
      const { chat, messageId } = content;
      this.#soon(chat, () => this.#show(chat, [messageId], 'seen'));
    }
  }

  /** After the receipt of a reply's last part. */
  replied({ id, turnId, chat }: OutboxReply): void {
    if (!this.#isOn() || turnId === undefined) return;
    this.#soon(chat.place, async () => {
      const ended = await this.#deps.store.outbox.endedTurn(id);
      if (ended === null) return;
      const sign = ended.outcome === 'dead' ? 'failed' : ended.outcome;
      await this.#show(chat.place, ended.messageIds, sign);
    });
  }

  close(): void {
    this.#ending.abort();
  }

  #isOn(): boolean {
    const { platform } = this.#sender.account;
    return (
      platform !== 'local' &&
      this.#sender.react !== undefined &&
      this.#deps.config.platforms[platform].ack_reactions
    );
  }

  #soon(place: ChatPlace, work: () => Promise<void>): void {
    if (this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#lanes
      .run(place.chatId, work)
      .catch(() => {})
      .finally(() => (this.#waiting -= 1));
  }

  /** Until one is refused. */
  async #show(place: ChatPlace, messageIds: readonly string[], sign: ReactionSign): Promise<void> {
    const { outbox } = this.#deps.store;
    for (const platformMessageId of messageIds) {
      const chat = await outbox.openChat(this.#sender.account, place);
      if (chat === null || this.#ending.signal.aborted) return;
      const message = { place: chat.place, platformMessageId };
      const result = await this.#sender.react?.(message, sign, this.#ending.signal);
      if (result?.kind === 'wait')
        await outbox.closeGate(chat, { waitMs: result.waitMs, gate: result.scope });
      if (result?.kind !== 'sent') return;
    }
  }
}
