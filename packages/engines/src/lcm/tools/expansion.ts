import {
  estimateTokens,
  type LcmMessage,
  type LcmScope,
  type LcmStore,
  type LcmSummary,
} from '@palimpsest/core';
import type { TimeWords } from '../time-words.ts';

export interface ExpansionWish {
  maxDepth: number;
  tokenCap: number;
  includeMessages: boolean;
  messageCharacters: number;
}

const mostMessages = 200;

/** Opened text as far as a cap allows, and what it rests on. */
export class Expansion {
  readonly blocks: string[] = [];
  readonly citedIds: string[] = [];
  tokens = 0;
  isTruncated = false;
  readonly #wish: ExpansionWish;
  readonly #store: Pick<LcmStore, 'sourcesOf' | 'messagesOf'>;
  readonly #time: TimeWords;

  constructor(
    wish: ExpansionWish,
    from: { store: Pick<LcmStore, 'sourcesOf' | 'messagesOf'>; time: TimeWords },
  ) {
    this.#wish = wish;
    this.#store = from.store;
    this.#time = from.time;
  }

  /** Add a block unless it is too much; then nothing comes after it. */
  add(block: string, citedId: string): boolean {
    const tokens = estimateTokens(block) + 2;
    if (this.isTruncated || this.tokens + tokens > this.#wish.tokenCap) {
      this.isTruncated = true;
      return false;
    }
    this.blocks.push(block);
    this.tokens += tokens;
    if (!this.citedIds.includes(citedId)) this.citedIds.push(citedId);
    return true;
  }

  /** Depth first over the sources of a node; messages only under leaves. False when the node is out of scope. */
  async open(scope: LcmScope, node: { id: string; kind: LcmSummary['kind'] }, level = 1): Promise<boolean> {
    if (node.kind === 'leaf') return this.#openLeaf(scope, node.id);
    const sources = await this.#store.sourcesOf(scope, node.id);
    if (!sources) return false;
    for (const source of sources) {
      if (!this.add(this.summaryBlock(source), source.id)) return true;
      const goesOn =
        level < this.#wish.maxDepth && (source.kind === 'condensed' || this.#wish.includeMessages);
      if (goesOn) await this.open(scope, source, level + 1);
    }
    return true;
  }

  summaryBlock({ id, depth, earliestAt, latestAt, content }: LcmSummary): string {
    return `[${id}, depth ${depth}, ${this.#time(earliestAt)} – ${this.#time(latestAt)}]\n${content}`;
  }

  messageBlock(message: LcmMessage): string {
    const who = message.sender ?? message.role;
    const cut =
      message.nextOffset === null ? '' : `\n[message ${message.id} goes on at offset ${message.nextOffset}]`;
    return `[message ${message.id}, ${this.#time(message.sentAt)}, ${who}]\n${message.text}${cut}`;
  }

  async #openLeaf(scope: LcmScope, id: string): Promise<boolean> {
    if (!this.#wish.includeMessages) return true;
    const messages = await this.#store.messagesOf(scope, id, {
      afterSeq: 0,
      limit: mostMessages,
      maxCharacters: this.#wish.messageCharacters,
    });
    if (!messages) return false;
    for (const message of messages) if (!this.add(this.messageBlock(message), `message ${message.id}`)) break;
    return true;
  }
}
