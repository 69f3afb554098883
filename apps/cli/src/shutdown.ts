import type { Logger } from '@palimpsest/core';

/** What was started, to be ended in the reverse order; a step that fails does not keep the others from running. */
export class Shutdown {
  readonly #steps: { name: string; end(): Promise<void> }[] = [];
  readonly #logger: Logger;
  #ending: Promise<void> | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(name: string, end: () => Promise<void>): void {
    this.#steps.push({ name, end });
  }

  run(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      try {
        await step.end();
      } catch (thrown) {
        this.#logger.error(
          { step: step.name, problem: thrown instanceof Error ? thrown.message : String(thrown) },
          'a step of the shutdown failed',
        );
      }
    }
  }
}

/** Ctrl-C reaches us twice, from the terminal and from npm: signals this close together are one. */
const sameSignalMs = 1_000;

/** Resolves at the first SIGINT or SIGTERM. A later one during the shutdown only says that it is under way. */
export function whenToldToStop(say: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | null = null;
    const stop = (): void => {
      const now = performance.now();
      if (toldAt !== null && now - toldAt < sameSignalMs) return;
      if (toldAt !== null) return say('Stopping already; running answers are being put back.');
      toldAt = now;
      say('Stopping …');
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
