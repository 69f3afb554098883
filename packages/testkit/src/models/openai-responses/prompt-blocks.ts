import {
  CALL_FRAMING_TOKENS,
  MEDIA_TOKENS,
  MESSAGE_FRAMING_TOKENS,
  TOOL_FRAMING_TOKENS,
} from '../count-tokens.ts';
import type { TokenCount } from '../count-tokens.ts';
import { objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { PromptChain } from '../prompt-chain.ts';
import type { PromptBlock } from '../prompt-chain.ts';
import { openCheckpoint } from './checkpoint.ts';
import { itemsOf, typeOf } from './item-rules.ts';
import type { Sealed } from './item-rules.ts';
import { plainText } from './plain-text.ts';

/** The prompt as a chain: tools → items in order, one block each. Reasoning of earlier steps costs nothing here. */
export function promptBlocks(body: Json, sealed: Sealed, count: TokenCount): readonly PromptBlock[] {
  const chain = new PromptChain(JSON.stringify([sealed.account, body['model']]));
  for (const tool of objectsOf(body['tools'])) {
    const text = JSON.stringify(tool);
    chain.add(text, count(text) + TOOL_FRAMING_TOKENS);
  }
  const instructions = textOf(body['instructions']);
  if (instructions !== '') chain.add(instructions, count(instructions) + MESSAGE_FRAMING_TOKENS);
  for (const item of objectsOf(itemsOf(body))) chain.add(JSON.stringify(item), weigh(item, sealed, count));
  return chain.blocks;
}

function weigh(item: Json, sealed: Sealed, count: TokenCount): number {
  switch (typeOf(item)) {
    case 'message': {
      const media = objectsOf(item['content']).filter(({ type }) => !textOf(type).endsWith('_text')).length;
      return MESSAGE_FRAMING_TOKENS + count(plainText(item['content'])) + media * MEDIA_TOKENS;
    }
    case 'function_call':
      return CALL_FRAMING_TOKENS + count(textOf(item['name'])) + count(textOf(item['arguments']));
    case 'function_call_output':
      return CALL_FRAMING_TOKENS + count(plainText(item['output']));
    case 'compaction':
      return openCheckpoint(item, sealed).tokens;
    default:
      return 0;
  }
}
