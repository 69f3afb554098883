import type { Dialect, DialectParts, Headers, Refusal } from '../dialect.ts';
import { serverSentEvent } from '../frames.ts';
import { listOf } from '../json.ts';
import type { Json } from '../json.ts';
import { AutomaticPromptCache, MarkedPromptCache } from '../prompt-cache.ts';
import { answerBody, answerFrames } from './answer-frames.ts';
import { bodyView } from './body-view.ts';
import { faultRefusal, openRouterOverflow, outputOverflow, overflow } from './errors.ts';
import { messageProblems } from './message-rules.ts';
import { pairingProblems } from './pairing-rules.ts';
import { breakpointProblems, markerProblems } from './part-rules.ts';
import { invalidRequest } from './problems.ts';
import type { Problems } from './problems.ts';
import { promptBlocks } from './prompt-blocks.ts';
import { topLevelProblems } from './top-level-rules.ts';

const AUTOMATIC_CACHE_MINIMUM_TOKENS = 1024;
const BEARER = /^Bearer (\S+)$/;

/** OpenAI chat completions. Errors: `{error: {message, type, param, code}}`. */
export function openAiChatDialect({ options, maxOutput, count }: DialectParts): Dialect {
  const openRouter = options.flavour === 'openrouter';
  function* problems(body: Json): Problems {
    yield* topLevelProblems(body, { maxOutput, openRouter });
    yield* messageProblems(body, { maxOutput, openRouter });
    yield* pairingProblems(listOf(body['messages']));
    yield* openRouter ? markerProblems(body) : breakpointProblems(body);
  }
  return {
    basePath: '/v1',
    completionPath: '/v1/chat/completions',
    countPath: undefined,
    requestIdHeader: 'x-request-id',
    cache: openRouter ? new MarkedPromptCache() : new AutomaticPromptCache(),
    readCredential,
    refuseBody(body) {
      const first = problems(body).next();
      return first.done === true ? undefined : invalidRequest(first.value);
    },
    promptBlocks: (body, workspace) => promptBlocks(body, workspace, count),
    cacheMinimum: () => options.cacheMinimumTokens ?? AUTOMATIC_CACHE_MINIMUM_TOKENS,
    view: bodyView,
    wrongKey: () => authentication('Incorrect API key provided.', 'nothing'),
    unknownModel,
    notFound,
    overflow: openRouter ? openRouterOverflow : overflow,
    outputOverflow: openRouter ? openRouterOverflow : outputOverflow,
    fault: faultRefusal,
    errorBody: openRouter ? openRouterErrorBody : errorBody,
    answerBody,
    frames: answerFrames,
    streamError: () =>
      serverSentEvent({
        error: {
          message: 'The server had an error processing your request.',
          type: 'server_error',
          param: null,
          code: null,
        },
      }),
    modelEntry: (model) => ({ id: model, object: 'model', created: 1_790_000_000, owned_by: 'fake' }),
    modelList: (data) => ({ object: 'list', data }),
    toolCallId: (serial) => `call_${serial}`,
  };
}

function readCredential(headers: Headers): { key: string } | { refusal: Refusal } {
  const key = BEARER.exec(headers['authorization'] ?? '')?.[1];
  if (key !== undefined) return { key };
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.";
  return { refusal: authentication(message, 'violation') };
}

function authentication(message: string, counts: Refusal['counts']): Refusal {
  return { status: 401, type: 'invalid_request_error', message, code: 'invalid_api_key', counts };
}

function unknownModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, type: 'invalid_request_error', message, code: 'model_not_found', counts: 'nothing' };
}

function notFound(path: string): Refusal {
  const message = `Invalid URL (${path})`;
  return { status: 404, type: 'invalid_request_error', message, counts: 'violation' };
}

function errorBody({ message, type, param, code }: Refusal): Json {
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

function openRouterErrorBody({ message, status, code }: Refusal): Json {
  return {
    error: { message, code: status, metadata: { provider_name: 'fake', ...(code ? { raw: code } : {}) } },
  };
}
