import type { BodyView } from '../dialect.ts';
import { isJson, objectsOf, parseJson, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { ScriptMessage } from '../script.ts';
import { plainText } from './prompt-blocks.ts';
import { wantedOutput } from './top-level-rules.ts';

/** A validated body in neither dialect's words: leading system texts joined, runs of tool messages as one user message. */
export function bodyView(body: Json): BodyView {
  const messages = objectsOf(body['messages']);
  const leading = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    system: leading.map((message) => plainText(message['content'])).join('\n'),
    messages: foldToolMessages(messages.filter((message) => !leading.includes(message))),
    tools: objectsOf(body['tools']).map(({ function: tool }) => (isJson(tool) ? textOf(tool['name']) : '')),
    model: textOf(body['model']),
    maxTokens: wantedOutput(body),
    streams: body['stream'] === true,
  };
}

function foldToolMessages(messages: readonly Json[]): readonly ScriptMessage[] {
  const folded: ScriptMessage[] = [];
  let results: { id: string; text: string }[] | undefined;
  for (const message of messages) {
    if (message['role'] === 'tool') {
      if (results === undefined) {
        results = [];
        folded.push({ role: 'user', text: '', toolCalls: [], toolResults: results });
      }
      results.push({ id: textOf(message['tool_call_id']), text: plainText(message['content']) });
      continue;
    }
    results = undefined;
    folded.push({
      role: message['role'] === 'assistant' ? 'assistant' : 'user',
      text: plainText(message['content']),
      toolCalls: objectsOf(message['tool_calls']).map(viewCall),
      toolResults: [],
    });
  }
  return folded;
}

function viewCall(call: Json): ScriptMessage['toolCalls'][number] {
  const called = isJson(call['function']) ? call['function'] : {};
  const text = textOf(called['arguments']);
  return { id: textOf(call['id']), name: textOf(called['name']), arguments: parseJson(text) ?? text };
}
