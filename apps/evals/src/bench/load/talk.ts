import type { IncomingUpdate } from '@palimpsest/core';
import { messageIn } from '../pipeline/traffic.ts';

/** Messages without end: one in every chat, then the next in every chat, … */
export class Talk {
  readonly #chats: readonly string[];
  #said = 0;

  constructor(chats: readonly string[]) {
    this.#chats = chats;
  }

  /** The next messages; at least one. */
  next(count: number): IncomingUpdate[] {
    return Array.from({ length: Math.max(1, Math.round(count)) }, () => {
      const at = this.#said++;
      return messageIn(this.#chats[at % this.#chats.length]!, Math.floor(at / this.#chats.length));
    });
  }
}
