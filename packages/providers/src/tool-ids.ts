/** OpenAI refuses longer ids; the rest of 64 characters is for the count. */
const longestBase = 56;

/**
 * Tool call ids as Anthropic and OpenAI's Responses take them: letters, digits, '_' and '-', and never the same twice in a
 * request. Other providers' ids hold dots and colons (`functions.search:0`) or begin anew each turn. The same transcript
 * always gives the same ids, so that cached prefixes stay.
 */
export class ToolIds {
  readonly #used = new Set<string>();
  readonly #newest = new Map<string, string>();
  /** How often a base was asked for: without it thousands of `call_0` would each be counted up from 2. */
  readonly #times = new Map<string, number>();

  /** The id on the wire of a call; results that follow are matched to the newest call of their id. */
  call(id: string): string {
    const base = clean(id) || 'call';
    let times = (this.#times.get(base) ?? 0) + 1;
    let wireId = times === 1 ? base : `${base}_${times}`;
    for (; this.#used.has(wireId); wireId = `${base}_${times}`) times++;
    this.#times.set(base, times);
    this.#used.add(wireId);
    this.#newest.set(id, wireId);
    return wireId;
  }

  result(id: string): string {
    return this.#newest.get(id) ?? clean(id);
  }
}

function clean(id: string): string {
  return id.slice(0, longestBase).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}
