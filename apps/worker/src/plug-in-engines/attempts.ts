/** One question to a plug-in. */
export interface Attempt<Answer> {
  member: string;
  ask(): Answer;
  /** Whether the answer can be worked with. */
  isSound(answer: unknown): boolean;
  /** What is done where it failed. */
  instead(): Answer;
}

export type Tell = (member: string, problem: string) => void;

/** Asks a plug-in and does otherwise when it throws, hangs or makes no sense; each member's failure is told of once. */
export class Attempts {
  readonly #tell: Tell;
  readonly #told = new Set<string>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  now<Answer>({ member, ask, isSound, instead }: Attempt<Answer>): Answer {
    try {
      const answer = ask();
      if (isSound(answer)) return answer;
      this.tell(member, 'its answer makes no sense');
    } catch (thrown) {
      this.tell(member, kindOf(thrown));
    }
    return instead();
  }

  /** The same for what takes time; after `limitMs` it counts as failed. */
  async later<Answer>(limitMs: number, attempt: Attempt<Promise<Answer>>): Promise<Answer> {
    const { member, ask, isSound, instead } = attempt;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    try {
      const answer = await Promise.race([ask(), late.promise]);
      if (isSound(answer)) return answer;
      this.tell(member, 'its answer makes no sense');
    } catch (thrown) {
      this.tell(member, kindOf(thrown));
    } finally {
      clearTimeout(timer);
    }
    return instead();
  }

  tell(member: string, problem: string): void {
    if (this.#told.has(member)) return;
    this.#told.add(member);
    this.#tell(member, problem);
  }
}

/** Without the message: it may hold what people wrote. */
function kindOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `it threw a ${typeof thrown}`;
  const place = /\n\s+at (.*)/.exec(thrown.stack ?? '')?.[1];
  return `${thrown.name}${place ? ` at ${place.slice(0, 200)}` : ''}`;
}
