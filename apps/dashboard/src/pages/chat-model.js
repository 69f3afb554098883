/** The state of the chat page and its talk with the service; the view only draws it. */
import { getJson, postJson, signIn } from './api.js';
import { editable, isOwed, matchItems, shownLines } from './chat-lines.js';
import { openLive } from './live.js';
import { Outgoing } from './outgoing.js';

const pageOfLines = 200;
const retryMs = 2_000;
/** An answer that is owed is looked for this often, should its notice be lost. */
const owedMs = 4_000;

export class ChatModel {
  lines = [];
  more = false;
  /** Text so far of the running turn, null when none runs. */
  progress = null;
  loaded = false;
  /** '' while all is well, else what to say. */
  trouble = '';
  #path;
  #onChange;
  #limit = pageOfLines;
  #outgoing;
  #reading = null;
  #readAgain = false;
  #listening = false;
  #lost = 0;

  constructor(chatId, onChange) {
    this.#path = `/api/chat/${encodeURIComponent(chatId)}`;
    this.#onChange = onChange;
    const post = (item) =>
      postJson(`${this.#path}/messages`, { id: item.id, text: item.text, edits: item.edits ?? undefined });
    this.#outgoing = new Outgoing({ key: `palimpsest.outgoing.${chatId}`, post, onChange });
  }

  start() {
    void this.refresh();
    void this.#outgoing.flush();
    setInterval(() => {
      if (!document.hidden && (isOwed(this.shown()) || this.progress)) void this.refresh();
    }, owedMs);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.refresh();
    });
  }

  shown() {
    return shownLines(this.lines, this.#outgoing.items, !this.more);
  }

  editable() {
    return editable(this.shown());
  }

  send(text, edits = null) {
    this.#outgoing.add({ text, edits, afterLine: this.lines.at(-1)?.id ?? null });
  }

  again(id) {
    this.#outgoing.again(id);
  }

  discard(id) {
    this.#outgoing.discard(id);
  }

  earlier() {
    this.#limit += pageOfLines;
    return this.refresh();
  }

  /** Read the history; calls that come while it is being read become one more read. */
  async refresh() {
    if (this.#reading) {
      this.#readAgain = true;
      return this.#reading;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    if (this.#readAgain) {
      this.#readAgain = false;
      await this.refresh();
    }
  }

  async #read() {
    try {
      const history = await getJson(`${this.#path}/history?limit=${this.#limit}`);
      this.lines = history.lines;
      this.more = history.more;
      this.loaded = true;
      this.#outgoing.matched(matchItems(this.lines, this.#outgoing.items));
      this.#listen(history.lastEventId);
      this.#say('');
    } catch (error) {
      if (error.status === 401) signIn();
      this.#say(`${sentence(error.message)} What you write is kept here and sent as soon as it works again.`);
      setTimeout(() => this.refresh(), error.retryAfterMs || retryMs);
    }
  }

  #listen(after) {
    if (this.#listening) return;
    this.#listening = true;
    openLive(`${this.#path}/events`, {
      after,
      onState: (state) => this.#onState(state),
      handlers: {
        progress: (progress) => this.#onProgress(progress),
        reply: () => this.refresh(),
        notice: () => this.refresh(),
        away: () => this.refresh(),
      },
    });
  }

  async #onProgress(progress) {
    const isNewTurn = progress?.turnId !== this.progress?.turnId;
    // The bubble stays until the history has the answer, so that nothing flickers.
    if (!progress || isNewTurn) await this.refresh();
    this.progress = progress;
    this.#onChange();
  }

  #onState(state) {
    clearTimeout(this.#lost);
    if (state === 'live') return void this.refresh();
    // A restart of the service takes a moment and is not worth a word.
    this.#lost = setTimeout(() => this.refresh(), retryMs);
  }

  #say(trouble) {
    this.trouble = trouble;
    this.#onChange();
  }
}

function sentence(text) {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended[0].toUpperCase() + ended.slice(1);
}
