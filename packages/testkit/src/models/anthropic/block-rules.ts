import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import type { Problems } from './problems.ts';
import { FIRST_VERSION } from './top-level-rules.ts';
import type { ThinkingSeal } from './thinking-seal.ts';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control', 'citations']),
  image: new Set(['type', 'source', 'cache_control', 'transformations']),
  document: new Set(['type', 'source', 'cache_control', 'citations', 'context', 'title']),
  search_result: new Set(['type', 'source', 'title', 'content', 'citations', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name']),
};
const ONLY_IN: Readonly<Record<string, 'user' | 'assistant'>> = {
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
  image: 'user',
  document: 'user',
};
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

/** Top-level `system`: a string or text blocks, none of them empty. */
export function* systemProblems(system: unknown): Problems {
  if (system === undefined || typeof system === 'string') return;
  for (const [at, block] of listOf(system).entries()) {
    if (!isJson(block) || block['type'] !== 'text') {
      yield `system.${at}.type: Input should be 'text'`;
      continue;
    }
    yield* textProblems(block, 'system', `system.${at}`);
    yield* extraProblems(block, `system.${at}`);
  }
}

/** What a block's rules depend on; `version` is the API version header. */
export interface BlockContext {
  readonly role: string;
  readonly seal: ThinkingSeal;
  readonly version: string;
}

/** One content block of a message: known type in the right role, complete, no foreign fields. */
export function* blockProblems(block: unknown, path: string, context: BlockContext): Problems {
  const type = isJson(block) ? textOf(block['type']) : '';
  if (!isJson(block) || FIELDS[type] === undefined) {
    yield `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`;
    return;
  }
  const only = ONLY_IN[type];
  if (only !== undefined && only !== context.role) {
    yield `${path.split('.content')[0]}: \`${type}\` blocks can only be in \`${only}\` messages`;
  }
  yield* extraProblems(block, `${path}.${type}`);
  if (type === 'text') yield* textProblems(block, 'messages', path);
  if (context.version !== FIRST_VERSION && context.role === 'user' && listOf(block['citations']).length > 0) {
    yield `${path}.${type}.citations: citations are not permitted in user messages`;
  }
  if (type === 'tool_use') yield* toolUseProblems(block, path);
  if (type === 'tool_result') yield* resultProblems(block, path);
  if (type === 'thinking' && !context.seal.holds(textOf(block['thinking']), block['signature'])) {
    yield `${path}: Invalid \`signature\` in \`thinking\` block`;
  }
}

function* extraProblems(block: Json, path: string): Problems {
  const extra = unknownField(block, FIELDS[textOf(block['type'])] ?? new Set());
  if (extra !== undefined) yield `${path}.${extra}: Extra inputs are not permitted`;
}

function* textProblems(block: Json, area: string, path: string): Problems {
  const text = block['text'];
  if (typeof text !== 'string') yield `${path}.text.text: Input should be a valid string`;
  else if (text === '' && isJson(block['cache_control'])) {
    yield `${path}.text: cache_control cannot be set for empty text blocks`;
  } else if (text === '') yield `${area}: text content blocks must be non-empty`;
  else if (text.trim() === '') yield `${area}: text content blocks must contain non-whitespace text`;
}

function* toolUseProblems(block: Json, path: string): Problems {
  if (!TOOL_ID.test(textOf(block['id']))) {
    yield `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  }
  if (textOf(block['name']) === '') yield `${path}.tool_use.name: String should have at least 1 character`;
  if (!isJson(block['input'])) yield `${path}.tool_use.input: Input should be a valid dictionary`;
}

function* resultProblems(block: Json, path: string): Problems {
  if (textOf(block['tool_use_id']) === '') yield `${path}.tool_result.tool_use_id: Field required`;
  const content = block['content'];
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) yield `${path}.tool_result.content: Input should be a valid list`;
  for (const [at, part] of listOf(content).entries()) {
    const inner = `${path}.tool_result.content.${at}`;
    if (!isJson(part) || !['text', 'image', 'document', 'search_result'].includes(textOf(part['type']))) {
      yield `${inner}: Input tag found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'`;
    } else if (part['type'] === 'text') yield* textProblems(part, 'messages', inner);
  }
}
