/** What happens when, earliest first: a binary heap. */
export class EventQueue<Value> {
  readonly #heap: { at: number; value: Value }[] = [];

  add(at: number, value: Value): void {
    const heap = this.#heap;
    let index = heap.push({ at, value }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.at <= at) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** null: nothing is left. */
  take(): { at: number; value: Value } | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    const heap = this.#heap;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < heap.length && heap[left]!.at < heap[least]!.at) least = left;
      if (right < heap.length && heap[right]!.at < heap[least]!.at) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  }
}
