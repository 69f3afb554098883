/** The words of erased messages, found again wherever they are quoted. No I/O. */

/** Stands where quoted words stood. */
const gap = '[erased]';
/** Shorter ones are said by everybody: a whole message, and a sentence of one. */
const shortestText = 8;
const shortestSentence = 16;
const shortestSummarySentence = 32;
const keyLength = shortestText;

/** A message as it may be quoted: whole, and each sentence of it. */
export function phrasesOf(text: string): string[] {
  const whole = text.trim();
  const sentences = whole.split(/[\n\r]+|(?<=[.!?。！？;；])\s*/u).map((sentence) => sentence.trim());
  const kept = sentences.filter((sentence) => sentence.length >= shortestSentence);
  return [...new Set([...(whole.length >= shortestText ? [whole] : []), ...kept])];
}

/**
 * A summary as tools and notices show it: whole where it is short, as a topic is, and its longer sentences; the shorter
 * ones are headings and the like.
 */
export function phrasesOfSummary(text: string): string[] {
  return phrasesOf(text).filter(
    (phrase) => phrase === text.trim() || phrase.length >= shortestSummarySentence,
  );
}

/** Finds phrases in texts, however many there are of either: every place is looked up by its first characters once. */
export class PhraseFinder {
  readonly #byKey = new Map<string, string[]>();

  constructor(phrases: Iterable<string>) {
    for (const phrase of new Set(phrases)) this.#add(phrase);
    // The longest first, so that nothing of a message is left beside a sentence of it.
    for (const known of this.#byKey.values()) known.sort((a, b) => b.length - a.length);
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** The text with a gap for each phrase; null when it holds none. */
  without(text: string): string | null {
    if (this.isEmpty) return null;
    let kept = '';
    let from = 0;
    for (let at = 0; at + keyLength <= text.length;) {
      const phrase = this.#at(text, at);
      if (phrase === undefined) at += 1;
      else {
        kept += text.slice(from, at) + gap;
        at += phrase.length;
        from = at;
      }
    }
    return from === 0 ? null : kept + text.slice(from);
  }

  /** Whether a text, its last characters aside (they may be an ellipsis), is where a phrase begins. */
  isBeginning(text: string): boolean {
    const start = text.replace(/…|\.\.\.$/u, '').trim();
    if (start.length < keyLength) return false;
    return this.#byKey.get(start.slice(0, keyLength))?.some((phrase) => phrase.startsWith(start)) ?? false;
  }

  /** Every string inside a value of JSON; null when none holds a phrase. */
  withoutDeep<Value>(value: Value): Value | null {
    let isChanged = false;
    const walk = (one: unknown): unknown => {
      if (typeof one === 'string') {
        const changed = this.without(one);
        isChanged ||= changed !== null;
        return changed ?? one;
      }
      if (Array.isArray(one)) return one.map(walk);
      if (one === null || typeof one !== 'object') return one;
      return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, walk(inner)]));
    };
    const walked = walk(value) as Value;
    return isChanged ? walked : null;
  }

  #at(text: string, at: number): string | undefined {
    return this.#byKey.get(text.slice(at, at + keyLength))?.find((phrase) => text.startsWith(phrase, at));
  }

  /** As it is, and as it stands inside JSON and inside JSON within a string: arguments of tool calls. */
  #add(phrase: string): void {
    const escaped = JSON.stringify(phrase).slice(1, -1);
    for (const form of new Set([phrase, escaped, JSON.stringify(escaped).slice(1, -1)])) {
      if (form.length < keyLength) continue;
      const key = form.slice(0, keyLength);
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), form]);
    }
  }
}
