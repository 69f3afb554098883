import type { ModelEvent, Usage } from '@palimpsest/core';

import { failure } from '../errors/classify.ts';
import { isObject } from './json-peer.ts';
import type { Notification } from './json-peer.ts';
import { readCounts } from './token-counts.ts';
import { turnFailure } from './turn-failure.ts';

/** How a turn ended: the last event it gives. */
export type TurnEnd = Extract<ModelEvent, { type: 'done' | 'failed' }>;

/**
 * One turn of a thread as it is told: deltas, items, token counts, errors, end. Unknown notifications and those of other
 * turns are left out.
 */
export class TurnProgress {
  readonly #threadId: string;
  /** Null until the turn has begun. */
  turnId: string | null = null;
  /** Prompt tokens in the thread, as last told. */
  contextTokens: number | null = null;
  end: TurnEnd | null = null;
  /** Compactions that have come to their end, by item or, from older servers, by turn. */
  readonly compacted = new Set<string>();
  readonly #blocks = new Map<string, number>();
  /** Everything counted in the thread so far; null before the first count of this turn. */
  #totalTokens: number | null = null;
  /** A compaction begins by repeating the count of the turn before. */
  #isRepeated = false;
  #usage: Usage = {
    promptTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  #retries = 0;

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  /** Take a notification in; returns what it means to the reader of the answer. */
  hear({ method, params }: Notification): ModelEvent[] {
    if (!this.#isOurs(method, params)) return [];
    switch (method) {
      case 'item/agentMessage/delta':
        return this.#text(params['itemId'], params['delta']);
      case 'item/started':
        this.#isRepeated ||= isObject(params['item']) && params['item']['type'] === 'contextCompaction';
        return [];
      case 'item/completed':
        return this.#endItem(params['item']);
      case 'thread/compacted':
        return this.compacted.size > 0 ? [] : this.#compaction(`turn ${this.turnId}`);
      case 'thread/tokenUsage/updated':
        this.#count(params['tokenUsage']);
        return [];
      case 'error':
        return this.#fail(params);
      case 'turn/completed':
        this.end = this.#ended(params['turn']);
        return [];
      default:
        return [];
    }
  }

  /** The turn that was answered to the request, or that began first, is ours: one runs in a thread at a time. */
  #isOurs(method: string, params: Record<string, unknown>): boolean {
    const turn = params['turn'];
    const id = params['turnId'] ?? (isObject(turn) ? turn['id'] : undefined);
    if (typeof id !== 'string') return false;
    if (method === 'turn/started' || method === '') this.turnId ??= id;
    return id === this.turnId;
  }

  #text(itemId: unknown, text: unknown): ModelEvent[] {
    if (typeof itemId !== 'string' || typeof text !== 'string' || text === '') return [];
    const block = this.#blocks.get(itemId) ?? this.#blocks.size;
    this.#blocks.set(itemId, block);
    return [{ type: 'text', text, block }];
  }

  #endItem(item: unknown): ModelEvent[] {
    if (!isObject(item) || typeof item['id'] !== 'string') return [];
    if (item['type'] === 'contextCompaction') return this.#compaction(item['id']);
    // A message without deltas comes whole.
    const isNew = item['type'] === 'agentMessage' && !this.#blocks.has(item['id']);
    return isNew ? this.#text(item['id'], item['text']) : [];
  }

  #compaction(name: string): ModelEvent[] {
    if (this.compacted.has(name)) return [];
    this.compacted.add(name);
    return [
      {
        type: 'compaction',
        runtime: 'codex_app_server',
        items: 0,
        tokensAfter: this.contextTokens,
        threadId: this.#threadId,
        turnId: this.turnId ?? '',
      },
    ];
  }

  #count(usage: unknown): void {
    const counts = readCounts(usage);
    if (!counts) return;
    const { last, total } = counts;
    const isNew = this.#totalTokens === null ? !this.#isRepeated : total.totalTokens !== this.#totalTokens;
    if (isNew) {
      this.#usage = {
        promptTokens: this.#usage.promptTokens + last.inputTokens,
        outputTokens: this.#usage.outputTokens + last.outputTokens,
        cacheReadTokens: this.#usage.cacheReadTokens + last.cachedInputTokens,
        cacheWriteTokens: this.#usage.cacheWriteTokens + last.cacheWriteInputTokens,
        reasoningTokens: this.#usage.reasoningTokens + last.reasoningOutputTokens,
        raw: usage,
      };
    }
    this.#totalTokens = total.totalTokens;
    this.contextTokens = counts.contextTokens;
  }

  #fail(params: Record<string, unknown>): ModelEvent[] {
    if (params['willRetry'] !== true) return [];
    this.#retries++;
    return [{ type: 'retrying', attempt: this.#retries, waitMs: 0, failure: turnFailure(params['error']) }];
  }

  #ended(turn: unknown): TurnEnd {
    const status = isObject(turn) ? turn['status'] : undefined;
    if (status === 'completed') return { type: 'done', stop: 'end', usage: this.#finalUsage() };
    if (status === 'interrupted')
      return { type: 'failed', failure: failure('aborted', 'the Codex app-server') };
    return { type: 'failed', failure: turnFailure(isObject(turn) ? turn['error'] : undefined) };
  }

  #finalUsage(): Usage | null {
    if (this.contextTokens === null || this.#usage.promptTokens === 0) return null;
    return { ...this.#usage, contextTokens: this.contextTokens };
  }
}
