import {
  CALL_FRAMING_TOKENS,
  MEDIA_TOKENS,
  MESSAGE_FRAMING_TOKENS,
  TOOL_FRAMING_TOKENS,
} from '../count-tokens.ts';
import type { TokenCount } from '../count-tokens.ts';
import { isJson, objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { PromptChain } from '../prompt-chain.ts';
import type { CacheTtl, PromptBlock } from '../prompt-chain.ts';

/** The prompt as a chain: tools → messages in order, one block a content part or tool call. */
export function promptBlocks(body: Json, workspace: string, count: TokenCount): readonly PromptBlock[] {
  const chain = new PromptChain(JSON.stringify([workspace, body['model']]));
  for (const tool of objectsOf(body['tools'])) {
    const text = JSON.stringify(tool['function']);
    chain.add(text, count(text) + TOOL_FRAMING_TOKENS, markOf(tool));
  }
  for (const message of objectsOf(body['messages'])) {
    chain.turn(JSON.stringify([message['role'], message['name'], message['tool_call_id']]));
    const blocks = [
      ...partsOf(message['content']).map((part) => renderPart(part, count)),
      ...objectsOf(message['tool_calls']).map((call) => renderCall(call, count)),
    ];
    const framing = message['role'] === 'tool' ? CALL_FRAMING_TOKENS : MESSAGE_FRAMING_TOKENS;
    const [first = { text: '', tokens: 0, mark: undefined }, ...rest] = blocks;
    chain.add(first.text, first.tokens + framing, first.mark);
    for (const block of rest) chain.add(block.text, block.tokens, block.mark);
  }
  return chain.blocks;
}

interface Rendered {
  readonly text: string;
  readonly tokens: number;
  readonly mark: CacheTtl | undefined;
}

function renderPart(part: Json, count: TokenCount): Rendered {
  const mark = markOf(part);
  if (part['type'] !== 'text') return { text: JSON.stringify(part), tokens: MEDIA_TOKENS, mark };
  const text = textOf(part['text']);
  return { text, tokens: count(text), mark };
}

function renderCall(call: Json, count: TokenCount): Rendered {
  const called = isJson(call['function']) ? call['function'] : {};
  const tokens = count(textOf(called['name'])) + count(textOf(called['arguments'])) + CALL_FRAMING_TOKENS;
  return { text: JSON.stringify([call['id'], called['name'], called['arguments']]), tokens, mark: undefined };
}

/** Content as parts: a non-empty string is one text part. */
function partsOf(content: unknown): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content);
}

/** The plain text of a string or of the text parts in a list. */
export function plainText(content: unknown): string {
  return partsOf(content)
    .filter((part) => part['type'] === 'text')
    .map((part) => textOf(part['text']))
    .join('\n');
}

function markOf(holder: Json): CacheTtl | undefined {
  const mark = holder['cache_control'];
  if (!isJson(mark)) return undefined;
  return mark['ttl'] === '1h' ? '1h' : '5m';
}
