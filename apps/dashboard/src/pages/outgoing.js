/**
 * What was typed here and how far it got. Kept in the browser's storage until the service says "committed", so neither a
 * reload nor a database that is away loses a word; every tab of this browser sees the same list.
 *
 *   unsent ─ 202 ─► sent        (a line of the history takes over: `lineId`)
 *     │ └── 503, no network: waits and tries again, oldest first
 *     └──── 4xx ─► refused      (the person decides: again, or away with it)
 */

const kept = 60;
const firstWaitMs = 1_000;
const longestWaitMs = 20_000;

export class Outgoing {
  #key;
  #post;
  #onChange;
  #items;
  #flushing = false;
  #waitMs = firstWaitMs;
  #timer = 0;

  /** post(item) resolves once committed, throws ApiError */
  constructor({ key, post, onChange }) {
    this.#key = key;
    this.#post = post;
    this.#onChange = onChange;
    this.#items = load(key) ?? [];
    addEventListener('storage', (event) => {
      if (event.key !== key) return;
      this.#items = load(key) ?? this.#items;
      onChange();
    });
    addEventListener('online', () => this.flush());
  }

  get items() {
    return this.#items;
  }

  /** afterLine: id of the newest line shown when it was typed */
  add({ text, edits = null, afterLine = null }) {
    const item = {
      id: newId(),
      text,
      edits,
      afterLine,
      at: new Date().toISOString(),
      state: 'unsent',
      lineId: null,
    };
    this.#change((items) => [...items, item]);
    void this.flush();
    return item;
  }

  /** Lines of the history that are these items. */
  matched(pairs) {
    if (pairs.length === 0) return;
    const lineOf = new Map(pairs);
    this.#change((items) =>
      items.map((item) => (lineOf.has(item.id) ? { ...item, lineId: lineOf.get(item.id) } : item)),
    );
  }

  again(id) {
    this.#update(id, { state: 'unsent', problem: null });
    void this.flush();
  }

  discard(id) {
    this.#change((items) => items.filter((item) => item.id !== id));
  }

  /** Send what is unsent, oldest first; one that cannot be sent now holds the ones behind it, for the order. */
  async flush() {
    clearTimeout(this.#timer);
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      for (let item = this.#next(); item; item = this.#next()) await this.#send(item);
      this.#waitMs = firstWaitMs;
    } catch (error) {
      this.#timer = setTimeout(() => this.flush(), error.retryAfterMs || this.#waitMs);
      this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
    } finally {
      this.#flushing = false;
    }
  }

  #next() {
    return this.#items.find((item) => item.state === 'unsent');
  }

  async #send(item) {
    try {
      await this.#post(item);
      this.#update(item.id, { state: 'sent', problem: null });
    } catch (error) {
      const final = error.status >= 400 && error.status < 500 && error.status !== 401 && error.status !== 429;
      this.#update(item.id, {
        state: final ? 'refused' : 'unsent',
        problem: error.message,
        signIn: error.status === 401,
      });
      if (!final) throw error;
    }
  }

  #update(id, fields) {
    this.#change((items) => items.map((item) => (item.id === id ? { ...item, ...fields } : item)));
  }

  /** Another tab may have written since: change what is stored, not what we remember. */
  #change(make) {
    const items = make(load(this.#key) ?? this.#items);
    const old = items.filter((item) => item.state === 'sent').slice(0, -kept);
    this.#items = items.filter((item) => !old.includes(item));
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#items));
    } catch {
      // No storage, or a text over its quota: the list lives as long as this tab.
      localStorage.removeItem(this.#key);
    }
    this.#onChange();
  }
}

function load(key) {
  try {
    const items = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(items) ? items : null;
  } catch {
    return null;
  }
}

/** randomUUID exists on https and loopback only. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `w${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
