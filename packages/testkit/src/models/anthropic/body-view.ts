import type { BodyView } from '../dialect.ts';
import { objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { ScriptMessage } from '../script.ts';
import { blocksOf, plainText } from './prompt-blocks.ts';

/** A validated body in neither dialect's words. */
export function bodyView(body: Json): BodyView {
  return {
    system: plainText(body['system']),
    messages: objectsOf(body['messages']).map(viewMessage),
    tools: objectsOf(body['tools']).map((tool) => textOf(tool['name'])),
    model: textOf(body['model']),
    maxTokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : undefined,
    streams: body['stream'] === true,
  };
}

function viewMessage(message: Json): ScriptMessage {
  const blocks = blocksOf(message['content']);
  const role = message['role'];
  return {
    role: role === 'assistant' || role === 'system' ? role : 'user',
    text: plainText(blocks),
    toolCalls: blocks.flatMap((block) =>
      block['type'] === 'tool_use'
        ? [{ id: textOf(block['id']), name: textOf(block['name']), arguments: block['input'] }]
        : [],
    ),
    toolResults: blocks.flatMap((block) =>
      block['type'] === 'tool_result'
        ? [{ id: textOf(block['tool_use_id']), text: plainText(block['content']) }]
        : [],
    ),
  };
}
