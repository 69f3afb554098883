import type { ScriptMessage, ScriptRequest } from './script.ts';

/** A call of `compress` as a scripted model makes it. */
export interface NudgeAnswer {
  readonly name: 'compress';
  readonly arguments: {
    readonly topic: string;
    readonly content: readonly (
      | { readonly startId: string; readonly endId: string; readonly summary: string }
      | { readonly messageId: string; readonly topic: string; readonly summary: string }
    )[];
  };
}

/** The first part that a nudge names: a range, or one message. */
const firstPart = /Parts that can go: (m\d{4,12}|b[1-9]\d*)(?: to (m\d{4,12}|b[1-9]\d*))?/;
/** Characters of each summarised message that the summary quotes. */
const quotedCharacters = 80;
/** A summary stays far below what it stands for, whatever the range. */
const mostQuotes = 12;

/**
 * What a model that follows nudges does: the first part named by the nudge at the end of the prompt becomes a call of
 * `compress`, its summary made of the beginnings of the messages in it. Pure.
 * returns   null when the prompt does not end in a nudge, names nothing, or the tool is not offered
 */
export function answerNudge(request: Pick<ScriptRequest, 'messages' | 'tools'>): NudgeAnswer | null {
  if (!request.tools.includes('compress')) return null;
  const nudge = nudgeOf(request.messages.at(-1));
  const first = nudge === null ? null : firstPart.exec(nudge);
  if (!first) return null;
  const startId = first[1]!;
  const endId = first[2] ?? startId;
  const summary = summaryOf(request.messages, startId, endId);
  const topic = 'finished earlier work';
  const entry = first[2] ? { startId, endId, summary } : { messageId: startId, topic, summary };
  return { name: 'compress', arguments: { topic, content: [entry] } };
}

function nudgeOf(message: ScriptMessage | undefined): string | null {
  if (message?.role !== 'user') return null;
  const start = message.text.lastIndexOf('<dcp-reminder>');
  const end = message.text.lastIndexOf('</dcp-reminder>');
  return start === -1 || end < start ? null : message.text.slice(start, end);
}

/** Beginnings of the messages between the two marks, blocks in between as references. */
function summaryOf(messages: readonly ScriptMessage[], startId: string, endId: string): string {
  const first = messages.findIndex((message) =>
    textsOf(message).some((text) => text.includes(`[${startId}`)),
  );
  const last = messages.findLastIndex((message) =>
    textsOf(message).some((text) => text.includes(`[${endId}`)),
  );
  const inside = first === -1 || last < first ? [] : messages.slice(first, last + 1);
  const lines = inside.flatMap((message) => {
    const block = /\[(b[1-9]\d*)\]\s*$/.exec(message.text)?.[1];
    if (block) return [`(${block})`];
    const text = message.text.replace(/\s+/g, ' ').trim().slice(0, quotedCharacters);
    return text === '' ? [] : [`- ${message.role}: ${text.toWellFormed()}`];
  });
  const references = lines.filter((line) => line.startsWith('(b'));
  const quotes = lines.filter((line) => !line.startsWith('(b'));
  const step = Math.max(1, Math.ceil(quotes.length / mostQuotes));
  return ['What was done:', ...references, ...quotes.filter((_, index) => index % step === 0)].join('\n');
}

function textsOf(message: ScriptMessage): readonly string[] {
  return [message.text, ...message.toolResults.map((result) => result.text)];
}
