import { Worker } from 'node:worker_threads';

export const livePages = 50;

/** What the thread of the pages says: that all are open, then, asked for it, each time between two tellings so far, ms. */
export type PagesWord = { kind: 'open' } | { kind: 'gaps'; gapsMs: readonly number[] };

/** 50 open overviews. In a thread of their own: people's browsers take nothing from the loop that carries messages. */
export class LivePages implements AsyncDisposable {
  readonly #thread: Worker;

  private constructor(thread: Worker) {
    this.#thread = thread;
  }

  /** Resolves when each has been told everything; throws what one of them throws. */
  static async open(url: string): Promise<LivePages> {
    const thread = new Worker(new URL('./live-pages-thread.ts', import.meta.url), {
      workerData: { url, pages: livePages },
    });
    const pages = new LivePages(thread);
    await pages.#word('open');
    return pages;
  }

  /** Since they were opened, in no order. */
  async gapsMs(): Promise<readonly number[]> {
    const word = this.#word('gaps');
    this.#thread.postMessage('gaps', []);
    const said = await word;
    return said.kind === 'gaps' ? said.gapsMs : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }

  #word(kind: PagesWord['kind']): Promise<PagesWord> {
    return new Promise((resolve, reject) => {
      this.#thread.once('error', reject);
      this.#thread.once('message', (word: PagesWord) => {
        this.#thread.off('error', reject);
        if (word.kind === kind) resolve(word);
        else reject(new Error(`the pages said ${word.kind} where ${kind} was asked for`));
      });
    });
  }
}
