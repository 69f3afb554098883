import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { partProblems } from './part-rules.ts';
import { problem } from './problems.ts';
import type { Problems } from './problems.ts';
import type { RuleLimits } from './top-level-rules.ts';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(['role', 'content', 'name']),
  developer: new Set(['role', 'content', 'name']),
  user: new Set(['role', 'content', 'name']),
  assistant: new Set(['role', 'content', 'name', 'audio', 'function_call', 'refusal', 'tool_calls']),
  tool: new Set(['role', 'content', 'tool_call_id']),
};
const ROLES = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";

/** Roles, fields and content of `messages`; system or developer messages come first. */
export function* messageProblems(body: Json, limits: RuleLimits): Problems {
  const messages = body['messages'];
  if (!Array.isArray(messages)) {
    yield problem("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
    return;
  }
  if (messages.length === 0) {
    const message =
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    yield problem(message, 'messages', 'empty_array');
  }
  let begun = false;
  for (const [at, message] of messages.entries()) {
    const role = isJson(message) ? textOf(message['role']) : '';
    const leading = role === 'system' || role === 'developer';
    // OpenAI itself is lenient here, but most compatible servers' chat templates refuse it with this text.
    if (leading && begun) yield problem('System message must be at the beginning.', `messages.[${at}].role`);
    begun ||= !leading;
    yield* oneMessageProblems(message, at, limits);
  }
}

function* oneMessageProblems(message: unknown, at: number, limits: RuleLimits): Problems {
  const fields = isJson(message) ? FIELDS[textOf(message['role'])] : undefined;
  if (!isJson(message) || fields === undefined) {
    const role = isJson(message) ? String(message['role']) : typeof message;
    yield problem(
      `Invalid value: '${role}'. Supported values are: ${ROLES}.`,
      `messages[${at}].role`,
      'invalid_value',
    );
    return;
  }
  const extra = unknownField(message, fields);
  const path = `messages[${at}].${String(extra)}`;
  if (extra !== undefined) yield problem(`Unknown parameter: '${path}'.`, path, 'unknown_parameter');
  if (message['role'] === 'assistant') yield* assistantProblems(message, at);
  else if (typeof message['content'] !== 'string' && !Array.isArray(message['content'])) {
    yield problem("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`);
  }
  if (message['role'] === 'tool' && textOf(message['tool_call_id']) === '') {
    const name = `messages[${at}].tool_call_id`;
    yield problem(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
  }
  yield* partProblems(message, at, limits);
}

function* assistantProblems(message: Json, at: number): Problems {
  const calls = message['tool_calls'];
  const content = message['content'];
  if (calls === undefined && (content === undefined || content === null)) {
    yield problem("Invalid value for 'content': expected a string, got null.", `messages.[${at}].content`);
  }
  if (calls !== undefined && listOf(calls).length === 0) {
    const path = `messages[${at}].tool_calls`;
    const complaint = `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    yield problem(complaint, path, 'empty_array');
  }
  for (const [index, call] of listOf(calls).entries())
    yield* callProblems(call, `messages[${at}].tool_calls[${index}]`);
}

function* callProblems(call: unknown, path: string): Problems {
  const definition = isJson(call) && isJson(call['function']) ? call['function'] : undefined;
  if (!isJson(call) || textOf(call['id']) === '') {
    yield problem(`Missing required parameter: '${path}.id'.`, `${path}.id`, 'missing_required_parameter');
  } else if (call['type'] !== 'function') {
    yield problem(
      `Missing required parameter: '${path}.type'.`,
      `${path}.type`,
      'missing_required_parameter',
    );
  }
  if (definition === undefined || textOf(definition['name']) === '') {
    const name = `${path}.function.name`;
    yield problem(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter');
  } else if (typeof definition['arguments'] !== 'string') {
    const name = `${path}.function.arguments`;
    const got = isJson(definition['arguments']) ? 'an object' : typeof definition['arguments'];
    yield problem(
      `Invalid type for '${name}': expected a string, but got ${got} instead.`,
      name,
      'invalid_type',
    );
  }
}
