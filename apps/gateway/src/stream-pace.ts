import type { ChatPlace, ChatTarget } from '@palimpsest/core';
import type { StreamSettings, StreamWay } from './way-of-streaming.ts';

const slowest = 16;
/** So many changes that went well take one step back. */
const goodChanges = 30;

/** How often previews change: the configured interval, doubled in a chat for each refusal there. */
export class StreamPace {
  readonly #settings: StreamSettings;
  readonly #slow = new Map<number, { factor: number; good: number }>();

  constructor(settings: StreamSettings) {
    this.#settings = settings;
  }

  wayFor(kind: ChatPlace['kind']): StreamWay {
    return this.#settings[kind];
  }

  everyMs({ chatRowId, place }: ChatTarget): number {
    return this.#settings.everyMs[place.kind] * (this.#slow.get(chatRowId)?.factor ?? 1);
  }

  /** The platform said so. */
  tooFast({ chatRowId }: ChatTarget): void {
    const factor = Math.min(slowest, (this.#slow.get(chatRowId)?.factor ?? 1) * 2);
    this.#slow.set(chatRowId, { factor, good: 0 });
  }

  went({ chatRowId }: ChatTarget): void {
    const slow = this.#slow.get(chatRowId);
    if (slow === undefined || ++slow.good < goodChanges) return;
    if (slow.factor <= 2) this.#slow.delete(chatRowId);
    else this.#slow.set(chatRowId, { factor: slow.factor / 2, good: 0 });
  }
}
