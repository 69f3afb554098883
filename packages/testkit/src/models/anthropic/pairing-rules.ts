import { isJson, objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { Problems } from './problems.ts';

/**
 * Every tool_use is answered in the very next message, results before anything else; no result without its call; no
 * id twice. Stricter than the service in one point: consecutive user messages are not merged before the check.
 */
export function* pairingProblems(messages: readonly unknown[]): Problems {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    const blocks = isJson(message) ? objectsOf(message['content']) : [];
    yield* answerProblems(open, blocks, at);
    open = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [textOf(block['id'])] : []));
    for (const id of open) {
      if (seen.has(id)) yield 'messages: `tool_use` ids must be unique';
      seen.add(id);
    }
  }
  if (open.length > 0) yield unanswered(messages.length - 1, open);
}

function* answerProblems(open: readonly string[], blocks: readonly Json[], at: number): Problems {
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const answered = new Set<string>();
  for (const result of results) {
    const id = textOf(result['tool_use_id']);
    if (!open.includes(id)) yield orphan(at, blocks.indexOf(result), id);
    if (answered.has(id)) {
      yield `messages.${at}.content.${blocks.indexOf(result)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    answered.add(id);
  }
  const missing = open.filter((id) => !answered.has(id));
  const leading = blocks.findIndex((block) => block['type'] !== 'tool_result');
  const late = leading >= 0 && leading < results.length;
  if (missing.length > 0) yield unanswered(at - 1, missing);
  else if (late) yield unanswered(at - 1, open);
}

function unanswered(at: number, ids: readonly string[]): string {
  return (
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
    'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
  );
}

function orphan(at: number, index: number, id: string): string {
  return (
    `messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
    'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
  );
}
