import type { Feed, LiveEvent } from './event-stream.ts';
import type { LiveAnswers } from './live-answers.ts';

/** The answers themselves, whole at first and then those that changed: the page need not ask for them. */
export class AnswerFeed implements Feed {
  /** The answers rest, for all pages at once. */
  readonly restMs = 0;
  readonly #answers: LiveAnswers;
  #version = 0;

  constructor(answers: LiveAnswers) {
    this.#answers = answers;
  }

  async news(): Promise<readonly LiveEvent[]> {
    const { events, at } = this.#answers.since(this.#version);
    this.#version = at;
    return events;
  }

  patienceMs(): number {
    return 15_000;
  }
}
