import { isJson, listOf, objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { problem } from './problems.ts';
import type { Problems } from './problems.ts';
import type { RuleLimits } from './top-level-rules.ts';

const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

/** Content parts: types the role may hold, text as a string, no foreign marks. */
export function* partProblems(message: Json, at: number, limits: RuleLimits): Problems {
  const allowed = PART_TYPES[textOf(message['role'])] ?? ['text'];
  for (const [index, part] of listOf(message['content']).entries()) {
    const path = `messages[${at}].content[${index}]`;
    const type = isJson(part) ? textOf(part['type']) : '';
    if (!isJson(part) || !allowed.includes(type)) {
      const values = allowed.map((name) => `'${name}'`).join(', ');
      yield problem(`Invalid value: '${type}'. Supported values are: ${values}.`, path, 'invalid_value');
    } else if (type === 'text' && typeof part['text'] !== 'string') {
      yield problem(
        `Missing required parameter: '${path}.text'.`,
        `${path}.text`,
        'missing_required_parameter',
      );
    } else if (part['cache_control'] !== undefined && !limits.openRouter) {
      const name = `${path}.cache_control`;
      yield problem(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    }
  }
}

/** Models that take breakpoints on content parts; the others know no such field. */
const BREAKPOINT_MODELS = /^gpt-(5\.[6-9]|[6-9])/;
const MOST_BREAKPOINTS = 4;

/** Explicit breakpoints: on newer models only, well formed, four at most with the implicit one. */
export function* breakpointProblems(body: Json): Problems {
  const holders = objectsOf(body['messages']).flatMap((message) => objectsOf(message['content']));
  const marked = holders.filter((part) => part['prompt_cache_breakpoint'] !== undefined);
  if (marked.length === 0) return;
  if (!BREAKPOINT_MODELS.test(textOf(body['model']))) {
    const name = 'prompt_cache_breakpoint';
    yield problem(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
  }
  const options = body['prompt_cache_options'];
  const implicit = isJson(options) && options['mode'] === 'explicit' ? 0 : 1;
  if (marked.length + implicit > MOST_BREAKPOINTS) {
    yield problem(
      `At most ${MOST_BREAKPOINTS} cache breakpoints may be written. Found ${marked.length + implicit}.`,
    );
  }
  for (const part of marked) {
    const mark = part['prompt_cache_breakpoint'];
    if (!isJson(mark) || mark['mode'] !== 'explicit')
      yield problem("Invalid value: prompt_cache_breakpoint.mode must be 'explicit'.");
  }
}

/** OpenRouter hands the marks to Anthropic, which takes four. */
export function* markerProblems(body: Json): Problems {
  const marks = objectsOf(body['messages'])
    .flatMap((message) => objectsOf(message['content']))
    .concat(objectsOf(body['tools']), [body])
    .filter((holder) => isJson(holder['cache_control']));
  if (marks.length > 4) {
    yield problem(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
  }
  const empty = marks.some((part) => part['type'] === 'text' && textOf(part['text']) === '');
  if (empty) yield problem('cache_control cannot be set for empty text blocks');
}
