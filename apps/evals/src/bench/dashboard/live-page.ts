import { request } from 'node:http';

/** What the overview shows, told by the service whenever it changes. */
const shown = ['/api/overview', '/api/sessions?limit=6', '/api/compactions?limit=8'];

/** An open overview as a browser keeps it: one stream that tells what is to be shown. */
export class LivePage implements Disposable {
  /** Milliseconds from each telling to the next. */
  readonly gapsMs: number[] = [];
  readonly #url: string;
  readonly #end = new AbortController();
  #toldAt: number | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** Resolves when it has been told everything. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'Sec-Fetch-Site': 'same-origin', Accept: 'text/event-stream' };
      const options = { headers, signal: this.#end.signal, agent: false as const };
      const query = shown.map((path) => `read=${encodeURIComponent(path)}`).join('&');
      const call = request(`${this.#url}/api/live?${query}`, options, (stream) => {
        if (stream.statusCode !== 200) return reject(new Error(`the stream answered ${stream.statusCode}`));
        stream.on('data', (piece: Buffer) => {
          if (!piece.includes('event: answers')) return;
          this.#told(performance.now());
          resolve();
        });
        stream.on('error', () => {});
      });
      call.on('error', reject);
      call.end();
    });
  }

  #told(at: number): void {
    if (this.#toldAt !== null) this.gapsMs.push(at - this.#toldAt);
    this.#toldAt = at;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }
}
