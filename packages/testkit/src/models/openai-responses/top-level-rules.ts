import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { invalidType, invalidValue, missing, problem, unknown } from './problems.ts';
import type { Problems } from './problems.ts';

const FIELDS = new Set(
  (
    'model input instructions store stream stream_options include max_output_tokens max_tool_calls metadata ' +
    'parallel_tool_calls previous_response_id conversation prompt prompt_cache_key prompt_cache_options ' +
    'prompt_cache_retention reasoning safety_identifier service_tier temperature text tool_choice tools top_logprobs ' +
    'top_p truncation user background context_management moderation client_metadata'
  ).split(' '),
);
/** What the subscription's service does not take although the API does. */
const NOT_ON_CODEX = ['max_output_tokens', 'temperature', 'top_p', 'previous_response_id', 'user'];
const REASONING = /^(o\d|gpt-[5-9])/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const SMALLEST_OUTPUT = 16;
const LONGEST_CACHE_KEY = 64;

export interface TopLevelLimits {
  readonly maxOutput: number;
  readonly codex: boolean;
}

/** Required fields, limits and settings of the request itself. */
export function* topLevelProblems(body: Json, limits: TopLevelLimits): Problems {
  if (textOf(body['model']) === '') yield missing('model');
  const extra = unknownField(body, FIELDS);
  if (extra !== undefined) yield unknown(extra);
  if (limits.codex) yield* codexProblems(body);
  yield* outputLimitProblems(body, limits.maxOutput);
  yield* stateProblems(body);
  const temperature = body['temperature'];
  if (REASONING.test(textOf(body['model'])) && temperature !== undefined && temperature !== 1) {
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    yield problem(message, 'temperature', { code: 'unsupported_parameter' });
  }
  yield* managementProblems(body['context_management']);
  yield* toolProblems(body);
}

function* codexProblems(body: Json): Problems {
  if (body['store'] !== false) yield problem('Store must be set to false');
  if (body['stream'] !== true) yield problem('Stream must be set to true');
  const refused = NOT_ON_CODEX.find((name) => body[name] !== undefined);
  if (refused !== undefined) yield problem(`Unsupported parameter: ${refused}`);
}

function* outputLimitProblems(body: Json, maxOutput: number): Problems {
  const wanted = body['max_output_tokens'];
  if (wanted === undefined || wanted === null) return;
  const name = 'max_output_tokens';
  if (typeof wanted !== 'number') yield invalidType(name, 'an integer', wanted);
  else if (!Number.isInteger(wanted) || wanted < SMALLEST_OUTPUT) {
    const message = `Invalid '${name}': integer below minimum value. Expected a value >= ${SMALLEST_OUTPUT}, but got ${wanted} instead.`;
    yield problem(message, name, { code: 'integer_below_min_value' });
  } else if (wanted > maxOutput) {
    const message = `Invalid '${name}': integer above maximum value. Expected a value <= ${maxOutput}, but got ${wanted} instead.`;
    yield problem(message, name, { code: 'integer_above_max_value' });
  }
}

/** Nothing is kept here, so nothing can be named. */
function* stateProblems(body: Json): Problems {
  const previous = body['previous_response_id'];
  if (typeof previous === 'string') {
    const message = `Previous response with id '${previous}' not found.`;
    yield problem(message, 'previous_response_id', { code: 'previous_response_not_found' });
  }
  const key = textOf(body['prompt_cache_key']);
  if (key.length > LONGEST_CACHE_KEY) {
    const message = `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length ${LONGEST_CACHE_KEY}, but got a string with length ${key.length} instead.`;
    yield problem(message, 'prompt_cache_key', { code: 'string_above_max_length' });
  }
}

function* managementProblems(entries: unknown): Problems {
  if (entries === undefined || entries === null) return;
  if (!Array.isArray(entries)) return yield invalidType('context_management', 'an array of objects', entries);
  for (const [at, entry] of entries.entries()) {
    const path = `context_management[${at}]`;
    const threshold = isJson(entry) ? entry['compact_threshold'] : undefined;
    if (!isJson(entry) || entry['type'] !== 'compaction') {
      yield invalidValue(`${path}.type`, isJson(entry) ? entry['type'] : entry, { allowed: ['compaction'] });
    } else if (typeof threshold !== 'number' || !Number.isInteger(threshold) || threshold < 1) {
      yield invalidType(`${path}.compact_threshold`, 'an integer', threshold);
    }
  }
}

function* toolProblems(body: Json): Problems {
  for (const [at, tool] of listOf(body['tools']).entries()) {
    const path = `tools[${at}]`;
    if (!isJson(tool) || textOf(tool['type']) === '') {
      yield missing(`${path}.type`);
      continue;
    }
    if (tool['type'] !== 'function') continue; // tools of the service's own, which the real clients send
    if (!TOOL_NAME.test(textOf(tool['name']))) {
      const message = `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
      yield problem(message, `${path}.name`, { code: 'invalid_value' });
    }
    if (isJson(tool['function'])) yield unknown(`${path}.function`);
    if (!isJson(tool['parameters'])) yield invalidType(`${path}.parameters`, 'an object', tool['parameters']);
    else if (tool['strict'] !== false) yield* strictProblems(tool, tool['parameters']);
  }
}

/** `strict` left out or true: every property is required and none may be added. */
function* strictProblems(tool: Json, schema: Json): Problems {
  const names = Object.keys(isJson(schema['properties']) ? schema['properties'] : {});
  const required = listOf(schema['required']);
  const optional = names.find((name) => !required.includes(name));
  if (schema['additionalProperties'] === false && optional === undefined) return;
  const why =
    optional === undefined
      ? "'additionalProperties' is required to be supplied and to be false."
      : `'required' is required to be supplied and to be an array including every key in properties. Missing '${optional}'.`;
  const message = `Invalid schema for function '${textOf(tool['name'])}': In context=(), ${why}`;
  yield problem(message, 'tools', { code: 'invalid_function_parameters' });
}
