import type { Dialect, DialectParts, Headers, Refusal, Sent } from '../dialect.ts';
import { serverSentEvent } from '../frames.ts';
import { textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { AutomaticPromptCache } from '../prompt-cache.ts';
import { answerBody, answerFrames } from './answer-frames.ts';
import { bodyView } from './body-view.ts';
import { faultRefusal, overflow } from './errors.ts';
import { itemProblems, itemsOf } from './item-rules.ts';
import { managementOf, managementRefusal } from './management.ts';
import { orderProblems } from './order-rules.ts';
import { invalidRequest } from './problems.ts';
import type { Problems } from './problems.ts';
import { promptBlocks } from './prompt-blocks.ts';
import { Seal } from './seal.ts';
import { topLevelProblems } from './top-level-rules.ts';

const AUTOMATIC_CACHE_MINIMUM_TOKENS = 1024;
const BEARER = /^Bearer (\S+)$/;

/** OpenAI's Responses without stored state, with a key or (flavour `codex`) with a subscription. */
export function openAiResponsesDialect({ options, maxOutput, count, secret }: DialectParts): Dialect {
  const codex = options.flavour === 'codex';
  const seal = new Seal(secret);
  function* problems(body: Json, { account }: Sent): Problems {
    yield* topLevelProblems(body, { maxOutput, codex });
    yield* itemProblems(body, { seal, account });
    yield* orderProblems(itemsOf(body), { seal, account });
  }
  return {
    basePath: codex ? '/backend-api/codex' : '/v1',
    completionPath: codex ? '/backend-api/codex/responses' : '/v1/responses',
    countPath: undefined,
    requestIdHeader: 'x-request-id',
    cache: new AutomaticPromptCache(),
    readCredential: codex ? readSubscription : readKey,
    refuseBody(body, sent) {
      const first = problems(body, sent).next();
      return first.done === true ? managementRefusal(body, options) : invalidRequest(first.value);
    },
    stalls: (body) => body['context_management'] !== undefined && managementOf(body, options) === 'stall',
    promptBlocks: (body, account) => promptBlocks(body, { seal, account }, count),
    cacheMinimum: () => options.cacheMinimumTokens ?? AUTOMATIC_CACHE_MINIMUM_TOKENS,
    view: bodyView,
    wrongKey: () => authentication('Incorrect API key provided.', 'nothing'),
    unknownModel,
    notFound,
    overflow,
    outputOverflow: overflow,
    fault: (kind, sizes) => faultRefusal(kind, sizes, codex),
    errorBody: codex ? codexErrorBody : errorBody,
    answerBody: (answer) => answerBody(answer, {}, seal),
    frames: (answer, body) => answerFrames(answer, body, seal),
    streamError,
    modelEntry: (model) => ({ id: model, object: 'model', created: 1_790_000_000, owned_by: 'fake' }),
    modelList: (data) => ({ object: 'list', data }),
    toolCallId: (serial) => `call_${serial}`,
  };
}

/** An answer that fails in its stream, after 200. */
function streamError(): string {
  const error = {
    code: 'server_error',
    message: 'An error occurred while processing your request.',
  };
  const response = { id: 'resp_failed', object: 'response', status: 'failed', error, usage: null };
  return serverSentEvent({ type: 'response.failed', sequence_number: 99, response }, 'response.failed');
}

function readKey(headers: Headers): { key: string } | { refusal: Refusal } {
  const key = BEARER.exec(headers['authorization'] ?? '')?.[1];
  if (key !== undefined) return { key };
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.";
  return { refusal: authentication(message, 'violation') };
}

/** A subscription is its account: tokens change, what was sealed stays readable. */
function readSubscription(headers: Headers): { key: string; account: string } | { refusal: Refusal } {
  const read = readKey(headers);
  if ('refusal' in read) return read;
  const account = textOf(headers['chatgpt-account-id']);
  if (account === '') return { refusal: authentication('Missing chatgpt-account-id', 'violation') };
  if (textOf(headers['originator']) === '')
    return { refusal: { ...authentication('Missing originator', 'violation'), status: 403 } };
  return { key: read.key, account };
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

function errorBody({ message, type, param, code, details }: Refusal): Json {
  return { error: { message, type, param: param ?? null, code: code ?? null, ...details } };
}

/** The subscription's service words what is wrong with a body as `detail`, limits as an error object. */
function codexErrorBody(refusal: Refusal): Json {
  const isPlain = refusal.status === 400 && !refusal.code;
  return isPlain ? { detail: refusal.message } : errorBody(refusal);
}
