import { GatewayError } from '@palimpsest/core';

/** What a pool sends: how many statements, when the last one, and how long the named ones waited for their answers. */
export class StatementTimes {
  statements = 0;
  /** On the clock of `performance.now`. */
  lastAt = 0;
  readonly #took = new Map<string, number>();

  readonly sent = (name: string): (() => void) => {
    this.statements += 1;
    const sentAt = (this.lastAt = performance.now());
    return () => this.#took.set(name, performance.now() - sentAt);
  };

  /** From its sending to its answer, ms, of the last one by that name; what the server did before it is included. */
  took(name: string): number {
    const ms = this.#took.get(name);
    if (ms === undefined) throw new GatewayError('internal', `no statement ${name} was answered`);
    return ms;
  }
}
