import type { Answer } from '../dialect.ts';
import type { Json } from '../json.ts';
import { condense, isCondensed } from './checkpoint.ts';
import type { Seal } from './seal.ts';

/** One output item: as it begins, the deltas in between, as it ends. */
export interface OutputItem {
  readonly kind: 'message' | 'function_call' | 'reasoning' | 'compaction';
  readonly whole: Json;
  /** Text or arguments that stream. */
  readonly streamed: string;
}

/** Items of an answer in order: checkpoint → reasoning → messages → calls. A checkpoint asked for comes alone. */
export function outputItems(answer: Answer, body: Json, seal: Seal): readonly OutputItem[] {
  const checkpoint = isCondensed(body, answer.promptTokens) ? [checkpointItem(answer, body, seal)] : [];
  const input = body['input'];
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  const isTrigger = typeof last === 'object' && last !== null && 'type' in last;
  if (isTrigger && last.type === 'compaction_trigger') return checkpoint;
  const messages = answer.texts.map((text, index) =>
    messageItem(answer, text, {
      index,
      isLast: index === answer.texts.length - 1 && answer.toolCalls.length === 0,
    }),
  );
  const calls = answer.toolCalls.map((call, index) => callItem(answer, call, index));
  return [...checkpoint, ...reasoningItems(answer, seal), ...messages, ...calls];
}

function checkpointItem(answer: Answer, body: Json, seal: Seal): OutputItem {
  const plain = JSON.stringify(condense(body, answer.promptTokens));
  const content = seal.close('compaction', answer.account, plain);
  const whole = { id: `cmp_${answer.serial}`, type: 'compaction', encrypted_content: content };
  return { kind: 'compaction', whole, streamed: '' };
}

/** The seal binds a thought to what it led to. */
function reasoningItems(answer: Answer, seal: Seal): OutputItem[] {
  if (answer.thinking === '') return [];
  const led = answer.texts.length > 0 ? 'message' : (answer.toolCalls[0]?.id ?? 'message');
  const content = seal.close('reasoning', answer.account, `${answer.serial}|${led}`);
  const summary = [{ type: 'summary_text', text: answer.thinking }];
  const whole = { id: `rs_${answer.serial}`, type: 'reasoning', summary, encrypted_content: content };
  return [{ kind: 'reasoning', whole, streamed: '' }];
}

function messageItem(
  answer: Answer,
  text: string,
  place: { readonly index: number; readonly isLast: boolean },
): OutputItem {
  const isRefusal = answer.finish === 'refusal' && place.isLast;
  const part = isRefusal
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
  const whole = {
    id: `msg_${answer.serial}_${place.index}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    phase: place.isLast ? 'final_answer' : 'commentary',
    content: [part],
  };
  return { kind: 'message', whole, streamed: text };
}

function callItem(answer: Answer, call: Answer['toolCalls'][number], index: number): OutputItem {
  const whole = {
    id: `fc_${answer.serial}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: call.json,
  };
  return { kind: 'function_call', whole, streamed: call.json };
}
