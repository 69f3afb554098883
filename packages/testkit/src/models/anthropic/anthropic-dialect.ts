import type { Dialect, DialectParts, Headers, Refusal, Sent } from '../dialect.ts';
import { serverSentEvent } from '../frames.ts';
import { listOf } from '../json.ts';
import type { Json } from '../json.ts';
import { MarkedPromptCache } from '../prompt-cache.ts';
import { answerBody, answerFrames } from './answer-frames.ts';
import { systemProblems } from './block-rules.ts';
import { bodyView } from './body-view.ts';
import { claudeTraits } from './claude-traits.ts';
import { faultRefusal, outputOverflow, overflow } from './errors.ts';
import { markerProblems } from './marker-rules.ts';
import { messageProblems } from './message-rules.ts';
import { pairingProblems } from './pairing-rules.ts';
import { invalidRequest } from './problems.ts';
import type { Problems } from './problems.ts';
import { promptBlocks } from './prompt-blocks.ts';
import { ThinkingSeal } from './thinking-seal.ts';
import { FIRST_VERSION, topLevelProblems } from './top-level-rules.ts';

/** Anthropic Messages. Errors: `{type:"error", error:{type,message,details?}, request_id}`. */
export function anthropicDialect({ options, maxOutput, count, secret }: DialectParts): Dialect {
  const seal = new ThinkingSeal(secret);
  function* problems(body: Json, sent: Sent): Problems {
    const version = sent.headers['anthropic-version'] ?? '';
    yield* topLevelProblems(body, { purpose: sent.purpose, version, maxOutput });
    yield* systemProblems(body['system']);
    yield* messageProblems(body, { seal, version });
    yield* pairingProblems(listOf(body['messages']));
    yield* markerProblems(body);
  }
  return {
    basePath: '',
    completionPath: '/v1/messages',
    countPath: '/v1/messages/count_tokens',
    requestIdHeader: 'request-id',
    cache: new MarkedPromptCache(),
    readCredential,
    refuseBody(body, sent) {
      const first = problems(body, sent).next();
      return first.done === true ? undefined : invalidRequest(first.value);
    },
    promptBlocks: (body, workspace) => promptBlocks(body, workspace, count),
    cacheMinimum: (model) => options.cacheMinimumTokens ?? claudeTraits(model).cacheMinimum,
    view: bodyView,
    wrongKey: () => authentication('invalid x-api-key', 'nothing'),
    unknownModel: (model) => notFound(`model: ${model}`, 'nothing'),
    notFound: () => notFound('Not Found', 'violation'),
    overflow,
    outputOverflow,
    fault: faultRefusal,
    errorBody,
    answerBody: (answer) => answerBody(answer, seal),
    frames: (answer) => answerFrames(answer, seal),
    streamError: () =>
      serverSentEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
    modelEntry,
    modelList: (data) => ({
      data,
      has_more: false,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
    }),
    toolCallId: (serial) => `toolu_${serial}`,
  };
}

const VERSIONS = new Set([FIRST_VERSION, '2026-10-21']);
const BEARER = /^Bearer (\S+)$/;

/** SDKs from 1.0 on send the key as a bearer token, older ones and curl as x-api-key; the latter wins. */
function readCredential(headers: Headers): { key: string } | { refusal: Refusal } {
  const key = headers['x-api-key'] ?? BEARER.exec(headers['authorization'] ?? '')?.[1] ?? '';
  if (key === '') return { refusal: authentication('x-api-key header is required', 'violation') };
  const version = headers['anthropic-version'];
  if (version === undefined) return { refusal: invalidRequest('anthropic-version: header is required') };
  if (!VERSIONS.has(version)) {
    return { refusal: invalidRequest(`anthropic-version: "${version}" is not a valid version`) };
  }
  return { key };
}

function authentication(message: string, counts: Refusal['counts']): Refusal {
  return { status: 401, type: 'authentication_error', message, counts };
}

function notFound(message: string, counts: Refusal['counts']): Refusal {
  return { status: 404, type: 'not_found_error', message, counts };
}

function errorBody({ type, message, code }: Refusal, requestId: string): Json {
  const details = code === undefined ? {} : { details: { error_code: code } };
  return { type: 'error', error: { type, message, ...details }, request_id: requestId };
}

function modelEntry(model: string, { window, maxOutput }: { window: number; maxOutput: number }): Json {
  return {
    type: 'model',
    id: model,
    display_name: model,
    created_at: '2026-01-01T00:00:00Z',
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    retires_at: null,
    max_input_tokens: window,
    max_tokens: maxOutput,
    capabilities: null,
  };
}
