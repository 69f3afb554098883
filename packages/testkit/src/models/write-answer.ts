import type { Answer, Dialect, Headers, Refusal } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { Json } from './json.ts';
import type { ScriptReply } from './script.ts';
import { countRefusal, nextSerial } from './server-state.ts';
import type { ServerState } from './server-state.ts';

/** Pace and form of a stream. */
export interface WriteTerms {
  readonly body: Json;
  readonly streams: boolean;
  readonly reply: ScriptReply;
}

/** A refusal and what its answer carries beside the usual headers. */
type RefusalWithHeaders = Refusal & { readonly headers?: Headers };

/** Write the whole answer, as a stream or as one body. */
export async function writeAnswer(
  exchange: Exchange,
  dialect: Dialect,
  terms: WriteTerms & { readonly answer: Answer },
): Promise<void> {
  const { answer } = terms;
  const id = `req_${answer.serial}`;
  if (!terms.streams) {
    exchange.send(200, jsonHeaders(dialect, id), JSON.stringify(dialect.answerBody(answer)));
    return;
  }
  exchange.open(200, streamHeaders(dialect, id));
  for (const frame of dialect.frames(answer, terms.body)) {
    await writePieces(exchange, frame.text, terms.reply.splitBytes);
    await exchange.pause(terms.reply.chunkDelayMs ?? 0);
  }
  exchange.end();
}

/** Write the start of a stream and stop before its first closing event. */
export async function writeBrokenStart(
  exchange: Exchange,
  dialect: Dialect,
  { answer, body }: { readonly answer: Answer; readonly body: Json },
): Promise<void> {
  exchange.open(200, streamHeaders(dialect, `req_${answer.serial}`));
  for (const frame of dialect.frames(answer, body)) {
    if (frame.closing) return;
    await exchange.write(frame.text);
  }
}

/** Send an error answer and count it. */
export function writeRefusal(exchange: Exchange, state: ServerState, refusal: RefusalWithHeaders): void {
  countRefusal(state, refusal);
  const id = `req_${nextSerial(state)}`;
  const body = JSON.stringify(state.dialect.errorBody(refusal, id));
  exchange.send(refusal.status, { ...jsonHeaders(state.dialect, id), ...refusal.headers }, body);
}

/** Send any JSON with 200. */
export function writeJson(exchange: Exchange, state: ServerState, body: Json): void {
  exchange.send(200, jsonHeaders(state.dialect, `req_${nextSerial(state)}`), JSON.stringify(body));
}

async function writePieces(exchange: Exchange, text: string, splitBytes: number | undefined): Promise<void> {
  if (splitBytes === undefined) return exchange.write(text);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += splitBytes) {
    await exchange.write(bytes.subarray(at, at + splitBytes));
  }
}

function jsonHeaders(dialect: Dialect, id: string): Headers {
  return { 'content-type': 'application/json', [dialect.requestIdHeader]: id };
}

function streamHeaders(dialect: Dialect, id: string): Headers {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    [dialect.requestIdHeader]: id,
  };
}
