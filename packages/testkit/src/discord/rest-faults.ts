/** Faults a test orders for coming requests: prepared answers, and answers lost on the way. */
import { refusalBody, refusalHeaders } from './rate-limits.ts';
import { matchTemplate } from './route-match.ts';

/** A prepared answer; an object is sent as JSON, a string as it is. */
export interface PreparedAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Fault {
  method: string;
  template: string;
  kind: 'answer' | 'drop';
  answer?: PreparedAnswer;
}

export class RestFaults {
  readonly #waiting: Fault[] = [];

  /**
   * Answer the next request of a route without performing it.
   *
   * route   `POST /channels/{channel_id}/messages`: a template (also `:id` or `*`) or one exact path
   */
  failNext(route: string, answer: PreparedAnswer): void {
    this.#waiting.push({ ...readRoute(route), kind: 'answer', answer });
  }

  /** Answer the next request of a route with 429; `seconds` may have decimals. */
  limitNext(route: string, seconds: number, scope: 'user' | 'global' | 'shared' = 'user'): void {
    const global = scope === 'global';
    const headers = {
      ...refusalHeaders(seconds, scope),
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
    };
    this.failNext(route, { status: 429, headers, body: refusalBody(seconds, global) });
  }

  /** Perform the next request of a route, then cut the line instead of answering. */
  dropAnswerNext(route: string): void {
    this.#waiting.push({ ...readRoute(route), kind: 'drop' });
  }

  takeAnswer(method: string, path: string): PreparedAnswer | undefined {
    return this.#take('answer', method, path)?.answer;
  }

  takeDrop(method: string, path: string): boolean {
    return this.#take('drop', method, path) !== undefined;
  }

  #take(kind: Fault['kind'], method: string, path: string): Fault | undefined {
    const index = this.#waiting.findIndex(
      (fault) =>
        fault.kind === kind && fault.method === method && matchTemplate(fault.template, path) !== undefined,
    );
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }
}

function readRoute(route: string): { method: string; template: string } {
  const [method, template] = route.split(' ');
  if (method === undefined || template === undefined || !template.startsWith('/')) {
    throw new Error(`"${route}" is no route; write it like "POST /channels/{channel_id}/messages"`);
  }
  return { method, template };
}
