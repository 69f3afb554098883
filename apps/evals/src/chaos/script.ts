/** The model of a run: it names the marks of the messages that it answers, and fails when it was told to. */
import type { FaultKind, ModelScript, ScriptRequest } from '@palimpsest/testkit';

/** No engine numbers anything so. */
const mark = /\bq\d+\b/g;
/** Makes a message long, and the answer to it, so that sessions are condensed. */
export const filler =
  'The ferry to the island leaves at nine from the old pier and comes back at dusk. '.repeat(40);

/** Marks in the order in which they stand. */
export function marksIn(text: string): string[] {
  return [...text.matchAll(mark)].map(([found]) => found);
}

/** What our engines write into the place of older turns; the words in it were answered long ago. */
const summaries = [
  /<summary [\s\S]*?<\/summary>/g,
  /\[CONTEXT COMPACTION\][\s\S]*?\[END OF CONTEXT COMPACTION\]/g,
];

function withoutSummaries(text: string): string {
  return summaries.reduce((rest, summary) => rest.replace(summary, ''), text);
}

/** What people wrote since the last answer, the words of summaries left out. */
function unanswered(request: ScriptRequest): { marks: string[]; isLong: boolean } {
  const last = request.messages.findLastIndex(
    (message) => message.role === 'assistant' && message.toolCalls.length === 0,
  );
  const texts = request.messages
    .slice(last + 1)
    .filter((message) => message.role === 'user')
    .map((message) => withoutSummaries(message.text));
  return { marks: texts.flatMap(marksIn), isLong: texts.some((text) => text.includes(filler.slice(0, 200))) };
}

export interface ChaosModel {
  script: ModelScript;
  /** The next `times` turns meet this. */
  failNext(how: FaultKind, times: number): void;
}

/** Every second turn looks something up first, so that there are tool rounds to die in. */
export function chaosModel(): ChaosModel {
  const faults: FaultKind[] = [];
  return {
    failNext: (how, times) => void faults.push(...Array.from({ length: times }, () => how)),
    script(request) {
      // Summaries are asked for without tools.
      if (request.tools.length === 0) return { text: 'They take the ferry to the island.', delayMs: 50 };
      const fault = faults.shift();
      if (fault !== undefined) return { fault, retryAfterMs: 300 };
      const { marks, isLong } = unanswered(request);
      const hasLooked = (request.messages.at(-1)?.toolResults.length ?? 0) > 0;
      if (!hasLooked && request.index % 2 === 0) {
        return { toolCalls: [{ name: 'session_search', arguments: { query: 'ferry' } }] };
      }
      const text = `answer to ${marks.join(' ')} (a${request.index})`;
      return { text: isLong ? `${text}. ${filler}` : text, delayMs: 150, chunkDelayMs: 2 };
    },
  };
}
