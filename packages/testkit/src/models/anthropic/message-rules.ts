import { isJson, listOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { blockProblems } from './block-rules.ts';
import type { BlockContext } from './block-rules.ts';
import { claudeTraits } from './claude-traits.ts';
import type { Problems } from './problems.ts';
import type { ThinkingSeal } from './thinking-seal.ts';

interface MessageContext extends Omit<BlockContext, 'role'> {
  readonly body: Json;
}

/** Roles, order and content of `messages`; tool pairing is judged elsewhere. */
export function* messageProblems(body: Json, terms: { seal: ThinkingSeal; version: string }): Problems {
  const messages = listOf(body['messages']);
  if (messages.length === 0) yield 'messages: at least one message is required';
  for (const [at, message] of messages.entries()) {
    if (isJson(message)) yield* oneMessageProblems(message, at, { body, ...terms });
    else yield `messages.${at}: Input should be a valid dictionary`;
  }
  const first = messages[0];
  if (isJson(first) && first['role'] !== 'user') yield 'messages: first message must use the "user" role';
  const last = messages.at(-1);
  if (isJson(last) && last['role'] === 'assistant') {
    yield 'This model does not support assistant message prefill. The conversation must end with a user message.';
  }
}

function* oneMessageProblems(message: Json, at: number, context: MessageContext): Problems {
  const role = textOf(message['role']);
  if (role === 'system') yield* midSystemProblems(context.body, at);
  else if (role !== 'user' && role !== 'assistant') {
    yield `messages.${at}.role: Input should be 'user' or 'assistant'`;
  }
  const extra = Object.keys(message).find((name) => name !== 'role' && name !== 'content');
  if (extra !== undefined) yield `messages.${at}.${extra}: Extra inputs are not permitted`;
  yield* contentProblems(message['content'], at, { role, seal: context.seal, version: context.version });
}

function* contentProblems(content: unknown, at: number, context: BlockContext): Problems {
  if (typeof content === 'string') {
    if (content === '') yield `messages.${at}: all messages must have non-empty content`;
    else if (content.trim() === '') yield 'messages: text content blocks must contain non-whitespace text';
    return;
  }
  if (!Array.isArray(content)) {
    yield content === undefined
      ? `messages.${at}.content: Field required`
      : `messages.${at}.content: Input should be a valid list`;
    return;
  }
  if (content.length === 0) yield `messages.${at}: all messages must have non-empty content`;
  for (const [index, block] of content.entries()) {
    yield* blockProblems(block, `messages.${at}.content.${index}`, context);
  }
  const last: unknown = content.at(-1);
  if (isJson(last) && (last['type'] === 'thinking' || last['type'] === 'redacted_thinking')) {
    yield `messages.${at}: The final block in an assistant message cannot be \`${String(last['type'])}\`.`;
  }
}

function* midSystemProblems(body: Json, at: number): Problems {
  const messages = listOf(body['messages']);
  if (!claudeTraits(textOf(body['model'])).midSystem) {
    yield 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
  }
  const before = messages[at - 1];
  const after = messages[at + 1];
  if (!isJson(before) || before['role'] !== 'user')
    yield `messages.${at}: a system message must follow a user message`;
  if (isJson(after) && after['role'] !== 'assistant') {
    yield `messages.${at}: a system message must be last or be followed by an assistant message`;
  }
  const content = isJson(messages[at]) ? messages[at]['content'] : undefined;
  if (listOf(content).some((block) => !isJson(block) || block['type'] !== 'text')) {
    yield `messages.${at}: a system message may hold text only`;
  }
}
