import type { BodyView } from '../dialect.ts';
import { objectsOf, parseJson, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { ScriptMessage } from '../script.ts';
import { itemsOf, typeOf } from './item-rules.ts';
import { plainText } from './plain-text.ts';

interface Folded {
  role: ScriptMessage['role'];
  text: string;
  toolCalls: ScriptMessage['toolCalls'][number][];
  toolResults: { id: string; text: string }[];
}

/**
 * A validated body in neither dialect's words: leading developer texts joined, an answer's messages and calls as one
 * message, runs of outputs as one user message. Checkpoints and reasoning are not shown.
 */
export function bodyView(body: Json): BodyView {
  const items = objectsOf(itemsOf(body));
  const leading = items.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const head = leading < 0 ? items : items.slice(0, leading);
  const wanted = body['max_output_tokens'];
  return {
    system: [textOf(body['instructions']), ...head.map((item) => plainText(item['content']))]
      .filter((text) => text !== '')
      .join('\n'),
    messages: foldItems(items.slice(head.length)),
    tools: objectsOf(body['tools']).map((tool) => textOf(tool['name'])),
    model: textOf(body['model']),
    maxTokens: typeof wanted === 'number' ? wanted : undefined,
    streams: body['stream'] === true,
  };
}

function foldItems(items: readonly Json[]): readonly ScriptMessage[] {
  const folded: Folded[] = [];
  for (const item of items) {
    const last = folded.at(-1);
    switch (typeOf(item)) {
      case 'message': {
        const role = item['role'] === 'assistant' ? 'assistant' : item['role'] === 'user' ? 'user' : 'system';
        const text = plainText(item['content']);
        if (role === 'assistant' && last?.role === 'assistant') last.text += `\n${text}`;
        else folded.push({ role, text, toolCalls: [], toolResults: [] });
        break;
      }
      case 'function_call': {
        const call = viewCall(item);
        if (last?.role === 'assistant') last.toolCalls.push(call);
        else folded.push({ role: 'assistant', text: '', toolCalls: [call], toolResults: [] });
        break;
      }
      case 'function_call_output': {
        const result = { id: textOf(item['call_id']), text: plainText(item['output']) };
        if (last && last.toolResults.length > 0) last.toolResults.push(result);
        else folded.push({ role: 'user', text: '', toolCalls: [], toolResults: [result] });
        break;
      }
      default:
        break;
    }
  }
  return folded;
}

function viewCall(item: Json): ScriptMessage['toolCalls'][number] {
  const text = textOf(item['arguments']);
  return { id: textOf(item['call_id']), name: textOf(item['name']), arguments: parseJson(text) ?? text };
}
