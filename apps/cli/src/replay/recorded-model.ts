import { GatewayError, type Tool } from '@palimpsest/core';
import type { ModelScript, ScriptAnswer, ScriptMessage, ScriptRequest } from '@palimpsest/testkit';
import type { Exchange, RecordedLine, Recording } from './recording.ts';

/** What the scripted model says to a line that the recording does not answer. */
export const notedText = '(noted)';

/** The texts a turn ends with, as people get them: consecutive assistant lines are one message. */
export function finalTexts(exchange: Exchange): readonly string[] {
  const lastTool = exchange.answer.findLastIndex((line) => line.role === 'tool');
  return exchange.answer
    .slice(lastTool + 1)
    .map((line) => line.content)
    .filter((text) => text.trim() !== '');
}

/**
 * A model that answers as the recording does. It looks at nothing but the prompt: a tool result at the end leads to
 * the line recorded after it, else the newest user line says which exchange this is.
 */
export function recordedModel(recording: Recording): ModelScript {
  const byCall = indexCalls(recording);
  /** The first exchange that has not been answered; the same line said again belongs to it or a later one. */
  let next = 0;
  return (request) => {
    const results = request.messages.at(-1)?.toolResults ?? [];
    const lastResult = results.at(-1);
    if (lastResult) return afterTool(byCall, lastResult.id);
    const found = newestUserLine(recording, request, next);
    const exchange = recording.exchanges[found.exchange]!;
    if (found.line !== exchange.user.at(-1)) return { text: notedText };
    next = found.exchange + 1;
    return exchange.answer.length > 0 ? stepFrom(exchange, 0) : { text: notedText };
  };
}

interface CallPlace {
  exchange: Exchange;
  index: number;
}

function indexCalls(recording: Recording): Map<string, CallPlace> {
  const places = new Map<string, CallPlace>();
  for (const exchange of recording.exchanges) {
    for (const [index, line] of exchange.answer.entries()) {
      if (line.toolCallId !== undefined) places.set(line.toolCallId, { exchange, index });
    }
  }
  return places;
}

function afterTool(places: ReadonlyMap<string, CallPlace>, callId: string): ScriptAnswer {
  const place = places.get(callId);
  if (!place)
    throw new GatewayError(
      'input_invalid',
      `the prompt ends with a result of call ${callId}, which the recording does not have`,
    );
  return stepFrom(place.exchange, place.index + 1);
}

/** The assistant lines from `index` up to the next tool line: their texts, and the calls of the last one. */
function stepFrom(exchange: Exchange, index: number): ScriptAnswer {
  const lines: RecordedLine[] = [];
  for (const line of exchange.answer.slice(index)) {
    if (line.role === 'tool') break;
    lines.push(line);
  }
  const text = lines.map((line) => line.content).filter((content) => content.trim() !== '');
  const toolCalls = lines.flatMap((line) =>
    line.toolCalls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
  );
  return text.length === 0 && toolCalls.length === 0 ? { text: notedText } : { text, toolCalls };
}

interface FoundLine {
  exchange: number;
  line: RecordedLine;
}

/** The user line nearest to the end of the prompt, looked for from exchange `next` on; a repeated request finds an older one. */
function newestUserLine(recording: Recording, request: ScriptRequest, next: number): FoundLine {
  const messages = request.messages.filter((message) => message.role === 'user').toReversed();
  for (const message of messages) {
    const found = findLine(recording, message, next) ?? findLine(recording, message, 0);
    if (found) return found;
  }
  throw new GatewayError(
    'input_invalid',
    `the prompt (${request.messages.length} messages) holds no user line of the recording`,
  );
}

/** A long line may be shown only in part, so its beginning decides. */
const beginningCharacters = 300;
/** Exchanges after the last one found that are still looked at: what comes later cannot have been sent yet. */
const lookAhead = 3;

function findLine(recording: Recording, message: ScriptMessage, from: number): FoundLine | null {
  let best: (FoundLine & { at: number }) | null = null;
  for (const [index, exchange] of recording.exchanges.entries()) {
    if (index < from) continue;
    if (index > (best?.exchange ?? from + recording.exchanges.length) + lookAhead) break;
    for (const line of exchange.user) {
      const beginning = line.content.trim().slice(0, beginningCharacters);
      const at = beginning === '' ? -1 : message.text.lastIndexOf(beginning);
      if (at !== -1 && at > (best?.at ?? -1)) best = { exchange: index, line, at };
    }
  }
  return best;
}

/** The tools of the recording; each call gives the recorded result. Reading a recording twice does no harm. */
export function recordedTools(recording: Recording): readonly Tool[] {
  const results = new Map<string, string>();
  for (const line of recording.lines)
    if (line.toolCallId !== undefined) results.set(line.toolCallId, line.content);
  const names = new Set(recording.lines.flatMap((line) => line.toolCalls.map((call) => call.name)));
  return [...names].map((name) => ({
    repeatable: true,
    schema: { name, description: `${name}, as recorded`, parameters: { type: 'object', properties: {} } },
    run: async (_input, scope) => {
      const text = results.get(scope.callId);
      return text === undefined
        ? { text: `no recorded result of call ${scope.callId}`, isError: true }
        : { text, isError: false };
    },
  }));
}
