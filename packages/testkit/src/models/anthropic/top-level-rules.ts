import { isJson, listOf, objectsOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { claudeTraits } from './claude-traits.ts';
import type { Problems } from './problems.ts';

const FIELDS = new Set(
  (
    'model messages max_tokens cache_control container context_management diagnostics inference_geo metadata ' +
    'output_config service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p'
  ).split(' '),
);
const TOOL_FIELDS = new Set(
  (
    'name description input_schema cache_control type strict defer_loading eager_input_streaming allowed_callers ' +
    'input_examples'
  ).split(' '),
);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** The API version that still knows sampling parameters; 2026-10-21 removed them. */
export const FIRST_VERSION = '2023-06-01';

const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** What the rules of the request itself depend on. */
export interface TopLevelTerms {
  readonly purpose: 'complete' | 'count';
  /** The `anthropic-version` header. */
  readonly version: string;
  readonly maxOutput: number;
}

/** Required fields, limits and settings of the request itself. */
export function* topLevelProblems(body: Json, { purpose, version, maxOutput }: TopLevelTerms): Problems {
  if (textOf(body['model']) === '') yield 'model: Field required';
  if (!Array.isArray(body['messages'])) yield 'messages: Field required';
  if (purpose === 'count' && body['max_tokens'] !== undefined)
    yield 'max_tokens: Extra inputs are not permitted';
  if (purpose === 'complete') yield* maxTokensProblems(body, maxOutput);
  const extra = unknownField(body, FIELDS);
  if (extra !== undefined) yield `${extra}: Extra inputs are not permitted`;
  yield* samplingProblems(body, version);
  yield* thinkingProblems(body);
  yield* toolProblems(body);
}

function* maxTokensProblems(body: Json, maxOutput: number): Problems {
  const wanted = body['max_tokens'];
  if (wanted === undefined) yield 'max_tokens: Field required';
  else if (!Number.isInteger(wanted)) yield 'max_tokens: Input should be a valid integer';
  else if (Number(wanted) < 1) yield 'max_tokens: Input should be greater than or equal to 1';
  else if (Number(wanted) > maxOutput) {
    yield `max_tokens: ${String(wanted)} > ${maxOutput}, which is the maximum allowed number of output tokens for ${textOf(body['model'])}`;
  }
}

function* samplingProblems(body: Json, version: string): Problems {
  const sent = SAMPLING.filter((name) => body[name] !== undefined);
  if (version !== FIRST_VERSION) {
    for (const name of sent) yield `${name}: Extra inputs are not permitted`;
  } else if (claudeTraits(textOf(body['model'])).fixedSampling) {
    for (const name of sent) if (body[name] !== 1) yield `\`${name}\` is deprecated for this model.`;
  }
}

function* thinkingProblems(body: Json): Problems {
  const thinking = isJson(body['thinking']) ? body['thinking'] : {};
  const budget = thinking['budget_tokens'];
  if (claudeTraits(textOf(body['model'])).fixedSampling) {
    if (budget !== undefined) yield '"thinking.type.enabled" is not supported for this model.';
    return;
  }
  if (thinking['type'] !== 'enabled') return;
  if (typeof budget !== 'number') yield 'thinking.enabled.budget_tokens: Field required';
  else if (budget < 1024)
    yield 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  else if (budget >= Number(body['max_tokens'] ?? Infinity)) {
    yield '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
}

function* toolProblems(body: Json): Problems {
  const names = new Set<string>();
  for (const [at, tool] of listOf(body['tools']).entries()) {
    if (!isJson(tool)) {
      yield `tools.${at}: Input should be a valid dictionary`;
      continue;
    }
    yield* oneToolProblems(tool, `tools.${at}.custom`);
    const name = textOf(tool['name']);
    if (names.has(name)) yield 'tools: Tool names must be unique.';
    names.add(name);
  }
  yield* toolChoiceProblems(body, names);
}

function* oneToolProblems(tool: Json, path: string): Problems {
  if (!TOOL_NAME.test(textOf(tool['name']))) {
    yield `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  }
  const schema = tool['input_schema'];
  if (!isJson(schema)) yield `${path}.input_schema: Field required`;
  else if (schema['type'] !== 'object') yield `${path}.input_schema.type: Input should be 'object'`;
  const extra = unknownField(tool, TOOL_FIELDS);
  if (extra !== undefined) yield `${path}.${extra}: Extra inputs are not permitted`;
}

function* toolChoiceProblems(body: Json, names: ReadonlySet<string>): Problems {
  const choice = body['tool_choice'];
  if (!isJson(choice)) return;
  if (objectsOf(body['tools']).length === 0)
    yield 'tool_choice: may only be specified while providing tools.';
  if (!['auto', 'any', 'tool', 'none'].includes(textOf(choice['type']))) {
    yield "tool_choice: Input tag found does not match any of the expected tags: 'any', 'auto', 'none', 'tool'";
  }
  const name = textOf(choice['name']);
  if (choice['type'] === 'tool' && !names.has(name)) {
    yield `tool_choice.tool.name: Tool '${name}' not found in provided tools`;
  }
}
