import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

import { isJson, parseJson } from '../json.ts';
import type { Json } from '../json.ts';

/** An error answer, in the server's words. */
export class Refused extends Error {
  readonly code: number;
  constructor(message: string, code = -32600) {
    super(message);
    this.code = code;
  }
}

/** Lines in and out, each kept in the journal of the home folder. */
export class Wire {
  readonly #output: Writable;
  readonly #journal: string;
  splitBytes: number | undefined;
  #waiting = new Map<number, (answer: Json) => void>();
  #nextId = 0;

  constructor(output: Writable, home: string) {
    this.#output = output;
    this.#journal = join(home, 'fake-journal.jsonl');
  }

  /** Read requests and notifications of the client; answers to our own requests are settled here. */
  listen(input: Readable, onMessage: (message: Json) => void): void {
    createInterface({ input }).on('line', (line) => {
      appendFileSync(this.#journal, `${line}\n`);
      const message = parseJson(line);
      if (!isJson(message)) return;
      if (message['method'] !== undefined || typeof message['id'] !== 'number') return onMessage(message);
      this.#waiting.get(message['id'])?.(message);
    });
  }

  answer(id: unknown, result: Json): void {
    this.#write({ id, result });
  }

  refuse(id: unknown, { code, message }: Refused): void {
    this.#write({ error: { code, message }, id });
  }

  notify(method: string, params: Json): void {
    this.#write({ method, params, emittedAtMs: 1_790_000_000_000 });
  }

  /** Ask the client; ids of the server count from 0 on their own. */
  ask(method: string, params: Json): Promise<Json> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ method, id, params });
    });
  }

  raw(text: string): void {
    const bytes = Buffer.from(text);
    const size = this.splitBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) this.#output.write(bytes.subarray(at, at + size));
  }

  #write(message: Json): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }
}
