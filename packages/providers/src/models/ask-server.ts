import type { ModelPrice } from '@palimpsest/core';

import type { Route } from '../route.ts';

/** What a server says of a model it serves; all of it may be missing. */
export interface ServerAnswer {
  windowTokens?: number;
  maxOutputTokens?: number;
  price?: ModelPrice;
}

/** Asking is a nicety: a server that takes longer is not waited for. */
const timeoutMs = 3_000;
/** OpenRouter's list is about a megabyte. */
const mostBytes = 16_000_000;
const million = 1_000_000;

/** One place to look, in the order they are tried; `read` gives null where the answer is not its kind. */
interface Place {
  path: string;
  /** From the server's root instead of the API's address. */
  atRoot?: true;
  body?: object;
  read(answer: Fields, model: string): ServerAnswer | null;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Ask a route's server what its model can hold: Anthropic, OpenRouter, and the servers of one's own (vLLM, llama.cpp,
 * LM Studio, Ollama). Null where it does not say, cannot be reached or takes over three seconds; never throws.
 */
export async function askServer(route: Route, fetcher: typeof fetch = fetch): Promise<ServerAnswer | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (const place of placesOf(route)) {
    const answer = await readPlace(place, route, { fetcher, signal });
    const said = answer && place.read(answer, route.model);
    if (said && Object.keys(said).length > 0) return said;
    if (signal.aborted) return null;
  }
  return null;
}

function placesOf({ provider, wire, model }: Route): readonly Place[] {
  if (provider === 'anthropic')
    return [{ path: `/v1/models/${encodeURIComponent(model)}`, read: anthropicModel }];
  if (provider === 'openrouter') return [{ path: '/models', read: openRouterModel }];
  if (provider !== 'custom' || wire === 'anthropic_messages') return [];
  return [
    { path: '/models', read: listedModel },
    { path: '/props', atRoot: true, read: llamaProps },
    { path: '/api/v0/models', atRoot: true, read: studioModel },
    { path: '/api/ps', atRoot: true, read: ollamaRunning },
    { path: '/api/show', atRoot: true, body: { model }, read: ollamaShown },
  ];
}

async function readPlace(
  place: Place,
  route: Route,
  help: { fetcher: typeof fetch; signal: AbortSignal },
): Promise<Fields | null> {
  const base = place.atRoot ? new URL(route.baseUrl).origin : route.baseUrl.replace(/\/+$/, '');
  try {
    const response = await help.fetcher(`${base}${place.path}`, {
      method: place.body ? 'POST' : 'GET',
      headers: {
        ...credential(route),
        ...(place.body ? { 'content-type': 'application/json' } : {}),
      },
      ...(place.body ? { body: JSON.stringify(place.body) } : {}),
      signal: help.signal,
    });
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > mostBytes) {
      await response.body?.cancel();
      return null;
    }
    const answer: unknown = await response.json();
    return fieldsOf(answer);
  } catch {
    // Not there, not JSON or too slow: the table knows enough.
    return null;
  }
}

function credential({ provider, apiKey }: Route): Record<string, string> {
  return provider === 'anthropic'
    ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${apiKey}` };
}

function anthropicModel(answer: Fields): ServerAnswer {
  return sized(answer['max_input_tokens'], answer['max_tokens']);
}

/** The window of the endpoint that serves it counts, where that is the smaller one. Prices are texts per token. */
function openRouterModel(answer: Fields, model: string): ServerAnswer | null {
  const entry = entryOf(answer, model);
  if (!entry) return null;
  const top = fieldsOf(entry['top_provider']) ?? {};
  const windows = [entry['context_length'], top['context_length']].flatMap((size) => numberOf(size) ?? []);
  const price = priceOf(fieldsOf(entry['pricing']) ?? {});
  return {
    ...sized(windows.length > 0 ? Math.min(...windows) : null, top['max_completion_tokens']),
    ...(price ? { price } : {}),
  };
}

function priceOf(pricing: Fields): ModelPrice | null {
  const dollars = (name: string): number | null => {
    const value = Number.parseFloat(String(pricing[name]));
    return Number.isFinite(value) && value >= 0 ? value * million : null;
  };
  const input = dollars('prompt');
  const output = dollars('completion');
  if (input === null || output === null) return null;
  const cacheRead = dollars('input_cache_read') ?? input;
  return { input, output, cacheRead, cacheWrite: dollars('input_cache_write') ?? input };
}

/** vLLM says `max_model_len`; others that copy the list say `context_length` or `context_window`. */
function listedModel(answer: Fields, model: string): ServerAnswer | null {
  const entry = entryOf(answer, model);
  const meta = fieldsOf(entry?.['meta']) ?? {};
  const size =
    entry?.['max_model_len'] ?? entry?.['context_length'] ?? entry?.['context_window'] ?? meta['n_ctx'];
  return sized(size, null);
}

function llamaProps(answer: Fields): ServerAnswer {
  return sized(fieldsOf(answer['default_generation_settings'])?.['n_ctx'] ?? answer['n_ctx'], null);
}

/** What is loaded counts, not what the model could hold. */
function studioModel(answer: Fields, model: string): ServerAnswer | null {
  const entry = entryOf(answer, model);
  return sized(entry?.['loaded_context_length'] ?? entry?.['max_context_length'], null);
}

function ollamaRunning(answer: Fields, model: string): ServerAnswer | null {
  const running = listOf(answer['models']).find(
    (entry) => entry['name'] === model || entry['model'] === model,
  );
  return sized(running?.['context_length'], null);
}

/** Only a window that its parameters set; the model's own is not what Ollama gives it by itself. */
function ollamaShown(answer: Fields): ServerAnswer {
  const set = /^num_ctx\s+(\d+)/m.exec(String(answer['parameters'] ?? ''))?.[1];
  return sized(set === undefined ? null : Number(set), null);
}

function entryOf(answer: Fields, model: string): Fields | undefined {
  return listOf(answer['data']).find((entry) => entry['id'] === model);
}

/** Below a thousand tokens nothing could be said: such a figure means something else. */
const leastTokens = 1_000;

function sized(window: unknown, output: unknown): ServerAnswer {
  const windowTokens = numberOf(window);
  const maxOutputTokens = numberOf(output);
  return {
    ...(windowTokens !== null && windowTokens >= leastTokens ? { windowTokens } : {}),
    ...(maxOutputTokens !== null && maxOutputTokens > 0 ? { maxOutputTokens } : {}),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

function listOf(value: unknown): Fields[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[]).flatMap((entry): Fields[] => {
    const fields = fieldsOf(entry);
    return fields ? [fields] : [];
  });
}

function fieldsOf(value: unknown): Fields | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : null;
}
