import type { Answer, Headers, Sizes } from './dialect.ts';
import type { Exchange } from './exchange.ts';
import type { Json } from './json.ts';
import type { FaultKind, ScriptFault, StatusFault } from './script.ts';
import type { ServerState } from './server-state.ts';
import { writeBrokenStart, writeRefusal } from './write-answer.ts';

/** What a fault is played on. `partial` is the answer a broken stream begins with. */
export interface FaultStage {
  readonly exchange: Exchange;
  readonly body: Json;
  readonly streams: boolean;
  readonly sizes: Sizes;
  readonly partial: Answer;
}

/** The faults whose stream begins with 200, so that their cache entries become readable. */
export function beginsStream(kind: FaultKind): boolean {
  return kind === 'cut_stream' || kind === 'mid_stream_error' || kind === 'stall';
}

/** Do the wrong thing that was asked for. `empty` is an answer and is not played here. */
export async function playFault(state: ServerState, fault: ScriptFault, stage: FaultStage): Promise<void> {
  const { exchange } = stage;
  switch (fault.fault) {
    case 'cut_stream':
    case 'mid_stream_error':
    case 'stall':
      return playBrokenStream(state, fault.fault, stage);
    case 'reset':
      return exchange.cut('reset');
    case 'silent':
      return exchange.untilGone();
    case 'html':
      return exchange.send(
        502,
        { 'content-type': 'text/html' },
        '<html><head><title>502 Bad Gateway</title></head></html>',
      );
    case 'blank_body':
      return exchange.send(
        200,
        { 'content-type': stage.streams ? 'text/event-stream' : 'application/json' },
        '',
      );
    case 'cut_body':
      return playCutBody(state, stage);
    case 'empty':
      return;
    default:
      return playStatus(state, fault.fault, { fault, stage });
  }
}

function playStatus(
  state: ServerState,
  kind: StatusFault,
  { fault, stage }: { fault: ScriptFault; stage: FaultStage },
): void {
  const wait = fault.retryAfterMs;
  const headers: Headers =
    wait === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) };
  writeRefusal(stage.exchange, state, { ...state.dialect.fault(kind, stage.sizes), headers });
}

async function playBrokenStream(
  state: ServerState,
  kind: 'cut_stream' | 'mid_stream_error' | 'stall',
  stage: FaultStage,
): Promise<void> {
  const { exchange } = stage;
  // Without a stream there is nothing to break in the middle: the nearest thing a real client would see.
  if (!stage.streams && kind === 'cut_stream') return playCutBody(state, stage);
  if (!stage.streams && kind === 'mid_stream_error') {
    return writeRefusal(exchange, state, state.dialect.fault('overloaded', stage.sizes));
  }
  if (stage.streams)
    await writeBrokenStart(exchange, state.dialect, { answer: stage.partial, body: stage.body });
  if (kind === 'stall') return exchange.untilGone();
  if (kind === 'mid_stream_error') {
    await exchange.write(state.dialect.streamError());
    return exchange.end();
  }
  exchange.cut('close');
}

async function playCutBody(state: ServerState, { exchange, partial }: FaultStage): Promise<void> {
  const whole = JSON.stringify(state.dialect.answerBody(partial));
  exchange.open(200, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(whole)),
  });
  await exchange.write(whole.slice(0, whole.length >> 1));
  exchange.cut('close');
}
