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
import type { PromptBlock } from '../prompt-chain.ts';
import { markOf, takesMark } from './marker-rules.ts';

/** A block as the model reads it, and its tokens; marks are not part of it. */
interface Rendered {
  readonly text: string;
  readonly tokens: number;
}

/**
 * The prompt as a chain of blocks: tools → system → messages. A string equals one text block, neighbours of one role
 * belong to one turn, and tool choice and thinking settings change the messages' part only.
 */
export function promptBlocks(body: Json, workspace: string, count: TokenCount): readonly PromptBlock[] {
  const marked = withAutomaticMark(body);
  const chain = new PromptChain(JSON.stringify([workspace, body['model']]));
  for (const tool of objectsOf(marked['tools'])) {
    const text = JSON.stringify([tool['name'], tool['description'], tool['input_schema']]);
    chain.add(text, count(text) + TOOL_FRAMING_TOKENS, markOf(tool));
  }
  for (const block of blocksOf(marked['system'])) {
    const { text, tokens } = render(block, count);
    chain.add(text, tokens, markOf(block));
  }
  chain.turn(JSON.stringify([body['tool_choice'], body['thinking'], body['output_config']]));
  let role = '';
  for (const message of objectsOf(marked['messages'])) {
    const opens = message['role'] !== role;
    role = textOf(message['role']);
    if (opens) chain.turn(`role:${role}`);
    for (const [at, block] of blocksOf(message['content']).entries()) {
      const { text, tokens } = render(block, count);
      chain.add(text, tokens + (opens && at === 0 ? MESSAGE_FRAMING_TOKENS : 0), markOf(block));
    }
  }
  return chain.blocks;
}

/** Content as blocks: a non-empty string is one text block. */
export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content);
}

/** The plain text of a string or of the text blocks in a list. */
export function plainText(content: unknown): string {
  return blocksOf(content)
    .filter((block) => block['type'] === 'text')
    .map((block) => textOf(block['text']))
    .join('\n');
}

function render(block: Json, count: TokenCount): Rendered {
  const type = textOf(block['type']);
  if (type === 'text') return { text: `text:${textOf(block['text'])}`, tokens: count(textOf(block['text'])) };
  if (type === 'tool_use') {
    const input = JSON.stringify(block['input']);
    const tokens = count(textOf(block['name'])) + count(input) + CALL_FRAMING_TOKENS;
    return { text: JSON.stringify([type, block['id'], block['name'], input]), tokens };
  }
  if (type === 'tool_result') {
    const parts = blocksOf(block['content']).map((part) => render(part, count));
    const text = JSON.stringify([
      type,
      block['tool_use_id'],
      block['is_error'] === true,
      parts.map((part) => part.text),
    ]);
    return { text, tokens: parts.reduce((sum, part) => sum + part.tokens, CALL_FRAMING_TOKENS) };
  }
  if (type === 'thinking') {
    return { text: `thinking:${textOf(block['thinking'])}`, tokens: count(textOf(block['thinking'])) };
  }
  const { cache_control: _mark, ...rest } = block;
  return { text: JSON.stringify(rest), tokens: MEDIA_TOKENS };
}

/** Move a request-level mark onto the last block that takes one. */
function withAutomaticMark(body: Json): Json {
  if (!isJson(body['cache_control'])) return body;
  const messages = objectsOf(body['messages']).map((message) => ({
    ...message,
    content: blocksOf(message['content']),
  }));
  for (const message of messages.toReversed()) {
    const target = message.content.findLast((block) => takesMark(block));
    if (target === undefined) continue;
    const marked = { ...target, cache_control: body['cache_control'] };
    message.content = message.content.map((block) => (block === target ? marked : block));
    return { ...body, messages };
  }
  return body;
}
