import type { Clock } from '@palimpsest/core';
import type { Bell, LiveEvent } from './event-stream.ts';
import { Listener } from './listener.ts';
import type { NoticeHub } from './notice-hub.ts';

/** Looks come at least this far apart: what is shown is live within a second. */
const restMs = 700;
/** Notices may be missed, and time passes without one. */
const patienceMs = 5_000;

/** An answer of the API, written out. */
export interface Answer {
  ok: boolean;
  text: string;
}

export interface Questions {
  paths: readonly string[];
  /** Never rejects: a failure is an answer that is not ok. */
  ask(path: string): Promise<Answer>;
}

interface Snapshot {
  event: 'answers' | 'problem';
  texts: readonly string[];
  /** JSON of what changed since the snapshot before, and of everything. */
  changed: string;
  whole: string;
}

/**
 * What some questions are answered now. One look serves every page that shows it, is made only while one does, and
 * nothing is told that did not change.
 */
export class LiveAnswers implements Bell {
  readonly #questions: Questions;
  readonly #hub: NoticeHub;
  readonly #clock: Clock;
  readonly #rings = new Set<() => void>();
  #looking: Listener | null = null;
  #snapshot: Snapshot | null = null;
  #version = 0;

  constructor(questions: Questions, hub: NoticeHub, clock: Clock) {
    this.#questions = questions;
    this.#hub = hub;
    this.#clock = clock;
  }

  follow(ring: () => void): () => void {
    this.#rings.add(ring);
    if (!this.#looking) void this.#lookOn((this.#looking = new Listener(this.#clock)));
    return () => {
      this.#rings.delete(ring);
      if (this.#rings.size > 0) return;
      this.#looking?.end();
      this.#looking = null;
      this.#snapshot = null;
    };
  }

  stayOpen(): void {
    this.#hub.stayOpen();
  }

  /** version  up to which a page was told, 0: nothing yet. returns what it is told now, and up to which version `at` that is */
  since(version: number): { events: readonly LiveEvent[]; at: number } {
    const snapshot = this.#snapshot;
    if (!snapshot || version === this.#version) return { events: [], at: version };
    const written = version === this.#version - 1 ? snapshot.changed : snapshot.whole;
    return { events: [{ event: snapshot.event, written }], at: this.#version };
  }

  async #lookOn(listener: Listener): Promise<void> {
    const leave = this.#hub.listen((notice) => {
      // Text so far changes nothing an operator's page shows.
      if (notice.kind !== 'progress') listener.ring();
    });
    while (!listener.ended) {
      listener.hush();
      const answers = await Promise.all(this.#questions.paths.map((path) => this.#questions.ask(path)));
      if (!listener.ended) this.#take(answers);
      await listener.rest(restMs);
      await listener.wait(patienceMs);
    }
    leave();
  }

  #take(answers: readonly Answer[]): void {
    const next = snapshotOf(this.#questions.paths, answers, this.#snapshot);
    if (next === null) return;
    this.#snapshot = next;
    this.#version++;
    for (const ring of this.#rings) ring();
  }
}

/** returns null when all is as it was */
function snapshotOf(
  paths: readonly string[],
  answers: readonly Answer[],
  before: Snapshot | null,
): Snapshot | null {
  const problem = answers.find(({ ok }) => !ok);
  if (problem) {
    if (before?.whole === problem.text) return null;
    return { event: 'problem', texts: [], changed: problem.text, whole: problem.text };
  }
  const texts = answers.map(({ text }) => text);
  const fields = paths.map((path, at) => `${JSON.stringify(path)}:${texts[at]}`);
  const changed = fields.filter((_field, at) => texts[at] !== before?.texts[at]);
  if (changed.length === 0) return null;
  return { event: 'answers', texts, changed: object(changed), whole: object(fields) };
}

const object = (fields: readonly string[]): string => `{${fields.join(',')}}`;
