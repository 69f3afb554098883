import type { Exchange } from './exchange.ts';
import { isJson, parseJson } from './json.ts';
import type { Json } from './json.ts';
import { promptTokensOf, serveCompletion } from './serve-completion.ts';
import type { ServerState } from './server-state.ts';
import { writeJson, writeRefusal } from './write-answer.ts';

const MODELS_PATH = '/v1/models';

/** Credential first, then the endpoint: completion, token count, model list, one model; all else is 404. */
export async function routeRequest(state: ServerState, exchange: Exchange, tooLarge: boolean): Promise<void> {
  const { dialect } = state;
  const credential = dialect.readCredential(exchange.entry.headers);
  if ('refusal' in credential) return writeRefusal(exchange, state, credential.refusal);
  if (!knowsKey(state, credential.key)) return writeRefusal(exchange, state, dialect.wrongKey());
  if (tooLarge) {
    const { window } = state.options;
    return writeRefusal(
      exchange,
      state,
      dialect.fault('too_large', { promptTokens: 0, wantedTokens: 0, window }),
    );
  }
  const account = credential.account ?? credential.key;
  const path = exchange.entry.path.split('?')[0] ?? '';
  const target = `${exchange.entry.method} ${path}`;
  if (target === `POST ${dialect.completionPath}`) {
    const body = readJson(state, exchange);
    return body && serveCompletion(state, exchange, { body, account });
  }
  if (dialect.countPath !== undefined && target === `POST ${dialect.countPath}`) {
    const body = readJson(state, exchange);
    return body && serveCount(state, exchange, { body, account });
  }
  if (target.startsWith(`GET ${MODELS_PATH}`)) return serveModels(state, exchange, path);
  writeRefusal(exchange, state, dialect.notFound(`${exchange.entry.method} ${path}`));
}

function knowsKey(state: ServerState, key: string): boolean {
  const known = state.options.apiKey;
  if (known === undefined) return true;
  return typeof known === 'string' ? known === key : known.includes(key);
}

function readJson(state: ServerState, exchange: Exchange): Json | undefined {
  const body = parseJson(exchange.body);
  if (isJson(body)) return body;
  const message = 'We could not parse the JSON body of your request.';
  writeRefusal(exchange, state, { status: 400, type: 'invalid_request_error', message, counts: 'violation' });
  return undefined;
}

function serveCount(state: ServerState, exchange: Exchange, asked: { body: Json; account: string }): void {
  const { account } = asked;
  const { headers } = exchange.entry;
  const wrong = state.dialect.refuseBody(asked.body, { purpose: 'count', headers, account });
  if (wrong !== undefined) return writeRefusal(exchange, state, wrong);
  const tokens = promptTokensOf(state.dialect.promptBlocks(asked.body, account));
  writeJson(exchange, state, { input_tokens: tokens });
}

function serveModels(state: ServerState, exchange: Exchange, path: string): void {
  const { options, dialect, maxOutput } = state;
  const entry = (model: string): Json => ({
    ...dialect.modelEntry(model, { window: options.window, maxOutput }),
    ...options.modelFields,
  });
  const known = options.models ?? ['fake-model'];
  if (path === MODELS_PATH) return writeJson(exchange, state, dialect.modelList(known.map(entry)));
  const model = decodeURIComponent(path.slice(MODELS_PATH.length + 1));
  if (options.models !== undefined && !known.includes(model)) {
    return writeRefusal(exchange, state, dialect.unknownModel(model));
  }
  writeJson(exchange, state, entry(model));
}
