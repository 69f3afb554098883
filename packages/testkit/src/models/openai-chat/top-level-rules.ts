import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { problem } from './problems.ts';
import type { Problems } from './problems.ts';

const FIELDS = new Set(
  (
    'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens ' +
    'max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier ' +
    'stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity ' +
    'web_search_options'
  ).split(' '),
);
const OPENROUTER_FIELDS = new Set([
  ...FIELDS,
  ...'cache_control usage reasoning provider models route transforms plugins include_reasoning top_k'.split(
    ' ',
  ),
]);
const REASONING = /^(o\d|gpt-[5-9])/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Limits the rules compare with. */
export interface RuleLimits {
  readonly maxOutput: number;
  readonly openRouter: boolean;
}

/** The answer size a body asks for, under either name. */
export function wantedOutput(body: Json): number | undefined {
  const wanted = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof wanted === 'number' ? wanted : undefined;
}

/** Required fields, limits and settings of the request itself. */
export function* topLevelProblems(body: Json, limits: RuleLimits): Problems {
  if (textOf(body['model']) === '') yield problem('you must provide a model parameter');
  const extra = unknownField(body, limits.openRouter ? OPENROUTER_FIELDS : FIELDS);
  if (extra !== undefined) yield problem(`Unrecognized request argument supplied: ${extra}`);
  yield* outputLimitProblems(body, limits);
  if (isJson(body['stream_options']) && body['stream'] !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    yield problem(message, 'stream_options');
  }
  yield* toolProblems(body);
}

function* outputLimitProblems(body: Json, { maxOutput, openRouter }: RuleLimits): Problems {
  const model = textOf(body['model']);
  const reasoning = REASONING.test(model) && !openRouter;
  if (reasoning && typeof body['max_tokens'] === 'number') {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    yield problem(message, 'max_tokens', 'unsupported_parameter');
  }
  const temperature = body['temperature'];
  if (reasoning && typeof temperature === 'number' && temperature !== 1) {
    const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
    yield problem(message, 'temperature', 'unsupported_value');
  }
  const wanted = wantedOutput(body);
  if (wanted === undefined) return;
  const name = typeof body['max_completion_tokens'] === 'number' ? 'max_completion_tokens' : 'max_tokens';
  if (!Number.isInteger(wanted) || wanted < 1) {
    const message = `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${wanted} instead.`;
    yield problem(message, name, 'integer_below_min_value');
  } else if (wanted > maxOutput) {
    const message = `${name} is too large: ${wanted}. This model supports at most ${maxOutput} completion tokens, whereas you provided ${wanted}.`;
    yield problem(message, name, 'invalid_value');
  }
}

function* toolProblems(body: Json): Problems {
  const tools = body['tools'];
  if (Array.isArray(tools) && tools.length === 0) {
    const message =
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
    yield problem(message, 'tools', 'empty_array');
  }
  if (tools === undefined && body['tool_choice'] !== undefined && body['tool_choice'] !== 'none') {
    yield problem(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
    );
  }
  for (const [at, tool] of listOf(tools).entries()) {
    const definition = isJson(tool) && isJson(tool['function']) ? tool['function'] : undefined;
    if (definition === undefined) {
      yield problem(
        `Missing required parameter: 'tools[${at}].function'.`,
        `tools[${at}].function`,
        'missing_required_parameter',
      );
    } else if (!TOOL_NAME.test(textOf(definition['name']))) {
      const message = `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
      yield problem(message, `tools[${at}].function.name`, 'invalid_value');
    } else if (definition['parameters'] !== undefined && !isJson(definition['parameters'])) {
      const message = `Invalid type for 'tools[${at}].function.parameters': expected an object.`;
      yield problem(message, `tools[${at}].function.parameters`, 'invalid_type');
    }
  }
}
