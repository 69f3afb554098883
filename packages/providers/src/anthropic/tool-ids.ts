/**
 * Tool call ids as Anthropic takes them: letters, digits, '_' and '-', and never the same twice in a request. Other
 * providers' ids hold dots and colons (`functions.search:0`) or begin anew each turn. The same transcript always
 * gives the same ids, so that cached prefixes stay.
 */
export class ToolIds {
  readonly #used = new Set<string>();
  readonly #newest = new Map<string, string>();

  /** The id on the wire of a call; results that follow are matched to the newest call of their id. */
  call(id: string): string {
    const base = id.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    let wireId = base;
    for (let count = 2; this.#used.has(wireId); count++) wireId = `${base}_${count}`;
    this.#used.add(wireId);
    this.#newest.set(id, wireId);
    return wireId;
  }

  result(id: string): string {
    return this.#newest.get(id) ?? id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  }
}
