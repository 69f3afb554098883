import type { ChatPlace, OutgoingPart, PartContent, PlatformSender, SendResult } from '@palimpsest/core';
import { localAccount } from './local-listener.ts';

/** The outgoing half: the outbox row itself is what the page reads, so a send only says that it is there. */
export class LocalSender implements PlatformSender {
  readonly account = localAccount;
  readonly typingEveryMs = 0;
  readonly repeatIsSafe = true;
  readonly #onSent: (chatId: string) => void;

  constructor(onSent: (chatId: string) => void) {
    this.#onSent = onSent;
  }

  split(text: string): readonly PartContent[] {
    return [{ text }];
  }

  async send(part: OutgoingPart): Promise<SendResult> {
    return { kind: 'sent', platformMessageId: `local-${part.nonce}` };
  }

  delivered(place: ChatPlace): void {
    this.#onSent(place.chatId);
  }

  async typing(): Promise<void> {}

  async close(): Promise<void> {}
}
