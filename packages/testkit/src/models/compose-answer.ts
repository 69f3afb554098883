import { CALL_FRAMING_TOKENS, cutToTokens } from './count-tokens.ts';
import type { Answer, Finish } from './dialect.ts';
import type { CacheFigures } from './prompt-cache.ts';
import type { ScriptReply } from './script.ts';
import { nextSerial } from './server-state.ts';
import type { ServerState } from './server-state.ts';

const CHUNK_SIZE = 40;

/** What an answer must keep to: the model asked for, the room left, the prompt's cache figures. */
export interface AnswerTerms {
  readonly model: string;
  readonly account: string;
  readonly promptTokens: number;
  readonly figures: CacheFigures;
  /** Tokens the answer may have, and what it is called when it would have more. */
  readonly roomTokens: number;
  readonly cutFinish: Finish;
}

/** Turn a scripted reply into an answer that keeps to its limits: text over the room is cut and tool calls with it. */
export function composeAnswer(state: ServerState, reply: ScriptReply, terms: AnswerTerms): Answer {
  const { texts, cut } = fitTexts(reply, terms.roomTokens, state);
  const toolCalls = cut ? [] : callsOf(state, reply);
  const callTokens = toolCalls.map(
    ({ name, json }) => state.count(name) + state.count(json) + CALL_FRAMING_TOKENS,
  );
  const textTokens = [reply.thinking ?? '', ...texts].map((text) => state.count(text));
  return {
    serial: nextSerial(state),
    model: terms.model,
    account: terms.account,
    thinking: reply.thinking ?? '',
    texts,
    toolCalls,
    finish: cut ? terms.cutFinish : finishOf(reply, toolCalls.length > 0),
    figures: terms.figures,
    promptTokens: terms.promptTokens,
    outputTokens: Math.max(
      1,
      [...callTokens, ...textTokens].reduce((sum, tokens) => sum + tokens, 0),
    ),
    chunkSize: reply.chunkSize ?? CHUNK_SIZE,
  };
}

function fitTexts(
  reply: ScriptReply,
  roomTokens: number,
  state: ServerState,
): { texts: string[]; cut: boolean } {
  const wanted = (typeof reply.text === 'string' ? [reply.text] : (reply.text ?? [])).filter(
    (text) => text !== '',
  );
  let room = roomTokens - state.count(reply.thinking ?? '');
  const texts: string[] = [];
  for (const text of wanted) {
    const kept = cutToTokens(text, room, state.count);
    if (kept !== '') texts.push(kept);
    if (kept !== text) return { texts, cut: true };
    room -= state.count(kept);
  }
  return { texts, cut: false };
}

function callsOf(state: ServerState, reply: ScriptReply): Answer['toolCalls'] {
  return (reply.toolCalls ?? []).map((call) => ({
    id: call.id ?? state.dialect.toolCallId(nextSerial(state)),
    name: call.name,
    json: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }));
}

function finishOf(reply: ScriptReply, hasCalls: boolean): Finish {
  if (reply.stop === 'max_tokens' || reply.stop === 'refusal') return reply.stop;
  return hasCalls && reply.stop === undefined ? 'tool_calls' : 'end';
}
