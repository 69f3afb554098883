import { request } from 'node:http';

/** What the overview reads whenever the service says that something changed. */
const reads = ['/api/overview', '/api/sessions?limit=6', '/api/compactions?limit=8'];

/** An open overview as a browser keeps it: one stream, and at each word of it everything is read anew. */
export class LivePage implements Disposable {
  /** Milliseconds of each reading, all of it. */
  readonly timesMs: number[] = [];
  readonly #url: string;
  readonly #end = new AbortController();
  #reading = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves with the stream's first word. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/event-stream' };
      const options = { headers, signal: this.#end.signal, agent: false as const };
      const call = request(`${this.#url}/api/events`, options, (stream) => {
        if (stream.statusCode !== 200) return reject(new Error(`the stream answered ${stream.statusCode}`));
        stream.on('data', (piece: Buffer) => {
          if (!piece.includes('event: ')) return;
          resolve();
          void this.#read();
        });
        stream.on('error', () => {});
      });
      call.on('error', reject);
      call.end();
    });
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const startedAt = performance.now();
    const answers = reads.map(async (path) => {
      const answer = await fetch(`${this.#url}${path}`, { signal: this.#end.signal });
      await answer.arrayBuffer();
    });
    await Promise.all(answers).then(
      () => this.timesMs.push(performance.now() - startedAt),
      () => {},
    );
    this.#reading = false;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }
}
