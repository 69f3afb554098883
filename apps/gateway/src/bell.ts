/** A sleep that ends early when it is rung; a ring between two sleeps is not lost. */
export class Bell {
  #rung = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Before work begins: rings from now on mean that there may be more. */
  hush(): void {
    this.#rung = false;
  }

  silence(ms: number): Promise<void> {
    if (this.#rung) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
