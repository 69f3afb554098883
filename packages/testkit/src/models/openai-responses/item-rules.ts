import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { invalidType, invalidValue, missing, problem, unknown } from './problems.ts';
import type { Problems } from './problems.ts';
import type { Seal } from './seal.ts';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set(['type', 'id', 'status', 'role', 'content', 'phase']),
  function_call: new Set(['type', 'id', 'status', 'call_id', 'name', 'arguments', 'namespace']),
  function_call_output: new Set(['type', 'id', 'status', 'call_id', 'output', 'name']),
  reasoning: new Set(['type', 'id', 'status', 'summary', 'content', 'encrypted_content']),
  compaction: new Set(['type', 'id', 'encrypted_content']),
  compaction_trigger: new Set(['type']),
};
const ROLES = ['assistant', 'system', 'developer', 'user'];
const USER_PARTS = ['input_text', 'input_image', 'input_file'];
const ANSWER_PARTS = ['output_text', 'refusal'];

/** Who sealed what: opaque items of others are told apart. */
export interface Sealed {
  readonly seal: Seal;
  readonly account: string;
}

/** The items of a body; a plain text counts as one message. */
export function itemsOf(body: Json): readonly unknown[] {
  const input = body['input'];
  return typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
}

/** The type of an item; a message may leave it out. */
export function typeOf(item: Json): string {
  return textOf(item['type']) || (item['role'] === undefined ? '' : 'message');
}

/** Types, fields and contents of `input`. */
export function* itemProblems(body: Json, sealed: Sealed): Problems {
  const input = body['input'];
  if (input === undefined) return yield missing('input');
  if (typeof input !== 'string' && !Array.isArray(input))
    yield invalidType('input', 'a string or an array of objects', input);
  const items = itemsOf(body);
  if (items.length === 0)
    yield problem('One of "input" or "previous_response_id" or \'prompt\' must be provided.', 'input');
  for (const [at, item] of items.entries()) yield* oneItemProblems(item, `input[${at}]`, sealed);
  const trigger = items.findIndex((item) => isJson(item) && item['type'] === 'compaction_trigger');
  if (trigger >= 0 && trigger < items.length - 1)
    yield problem('A compaction_trigger must be the last input item.', `input[${trigger}]`);
}

function* oneItemProblems(item: unknown, path: string, sealed: Sealed): Problems {
  if (!isJson(item)) return yield invalidType(path, 'an object', item);
  const type = typeOf(item);
  const fields = FIELDS[type];
  if (fields === undefined) return yield invalidValue(`${path}.type`, type, { allowed: Object.keys(FIELDS) });
  const extra = unknownField(item, fields);
  if (extra !== undefined) yield unknown(`${path}.${extra}`);
  switch (type) {
    case 'message':
      return yield* messageProblems(item, path);
    case 'function_call':
      for (const name of ['call_id', 'name', 'arguments'])
        if (typeof item[name] !== 'string') yield missing(`${path}.${name}`);
      return;
    case 'function_call_output':
      if (textOf(item['call_id']) === '') yield missing(`${path}.call_id`);
      if (typeof item['output'] !== 'string' && !Array.isArray(item['output']))
        yield missing(`${path}.output`);
      return;
    case 'reasoning':
      return yield* reasoningProblems(item, path, sealed);
    case 'compaction':
      if (sealed.seal.open('compaction', sealed.account, item['encrypted_content']) === undefined)
        yield unreadable(item, path);
      return;
    default:
      return;
  }
}

function* messageProblems(item: Json, path: string): Problems {
  const role = textOf(item['role']);
  if (!ROLES.includes(role)) yield invalidValue(`${path}.role`, item['role'], { allowed: ROLES });
  const content = item['content'];
  if (typeof content === 'string') return;
  if (!Array.isArray(content) || content.length === 0)
    return yield invalidType(`${path}.content`, 'a string or a non-empty array of objects', content);
  const allowed = role === 'assistant' ? ANSWER_PARTS : USER_PARTS;
  for (const [at, part] of content.entries()) {
    const type = isJson(part) ? textOf(part['type']) : '';
    if (!isJson(part) || !allowed.includes(type))
      yield invalidValue(`${path}.content[${at}]`, type, { allowed });
    else if (type.endsWith('_text') && typeof part['text'] !== 'string')
      yield missing(`${path}.content[${at}].text`);
  }
}

function* reasoningProblems(item: Json, path: string, sealed: Sealed): Problems {
  const id = textOf(item['id']);
  if (id === '') yield missing(`${path}.id`);
  if (!Array.isArray(item['summary'])) yield missing(`${path}.summary`);
  if (item['encrypted_content'] === undefined || item['encrypted_content'] === null) {
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    yield problem(message, 'input', { status: 404 });
  } else if (sealed.seal.open('reasoning', sealed.account, item['encrypted_content']) === undefined) {
    yield unreadable(item, path);
  }
}

function unreadable(item: Json, path: string): ReturnType<typeof problem> {
  const message = `The encrypted content for item ${textOf(item['id']) || path} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  return problem(message, null, { code: 'invalid_encrypted_content' });
}
