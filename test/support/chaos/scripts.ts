/** Models for crash tests: people mark their messages m1, m2 …, and every answer names the marks it answers. */
import type { ModelScript, ScriptRequest, ScriptToolCall } from '@palimpsest/testkit';

const mark = /\bm\d+\b/g;

export function marksIn(text: string): string[] {
  return [...text.matchAll(mark)].map(([found]) => found);
}

/** Marks of the messages that nobody has answered yet: what people wrote, not what a summary names, since the last final answer. */
function unanswered(request: ScriptRequest): string[] {
  const last = request.messages.findLastIndex(
    (message) => message.role === 'assistant' && message.toolCalls.length === 0,
  );
  return request.messages
    .slice(last + 1)
    .filter((message) => message.role === 'user')
    .flatMap((message) => marksIn(message.text.replaceAll(/<summary [^]*?<\/summary>/g, '')));
}

export const answerText = (request: ScriptRequest): string => `answer to ${unanswered(request).join(' ')}`;

export const answers: ModelScript = (request) => ({ text: answerText(request) });

/** Tool calls and results since the last final answer. */
export function roundsOf(request: ScriptRequest): { calls: ScriptToolCall[]; results: string[] } {
  const last = request.messages.findLastIndex(
    (message) => message.role === 'assistant' && message.toolCalls.length === 0,
  );
  const messages = request.messages.slice(last + 1);
  return {
    calls: messages.flatMap((message) => message.toolCalls),
    results: messages.flatMap((message) => message.toolResults.map((result) => result.text)),
  };
}

export interface Gate {
  /** Settles when a request waits at it. */
  readonly reached: Promise<void>;
  open(): void;
  /** Await in a script. */
  pass(): Promise<void>;
}

export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    async pass() {
      reached.resolve();
      await opened.promise;
    },
  };
}

/** Answers at once, but for what answers this mark: that waits at the gate. */
export function answersBehind(asked: Gate, marked: string): ModelScript {
  return async (request) => {
    const text = answerText(request);
    if (marksIn(text).includes(marked)) await asked.pass();
    return { text };
  };
}

/** One tool round, then an answer that waits at the gate. */
export function searchThenAnswer(asked: Gate): ModelScript {
  return async (request) => {
    if (roundsOf(request).results.length === 0) {
      return { toolCalls: [{ name: 'session_search', arguments: { query: 'anything' } }] };
    }
    await asked.pass();
    return { text: answerText(request) };
  };
}

/** The first answer waits at the gate; others come at once. */
export function slowFirstAnswer(asked: Gate): ModelScript {
  return async (request) => {
    if (request.index === 0) await asked.pass();
    return { text: answerText(request) };
  };
}
