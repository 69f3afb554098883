/** The way to Telegram's servers: grammY as a typed client, on the fetch of Node. */
import { Api, type ApiClientOptions } from 'grammy';

/** How long one call may take before it counts as lost; a long poll needs its own time on top. */
export const callTimeoutSeconds = 20;

/** Stands as description where a proxy answered in Telegram's place. */
export const foreignAnswer = 'an answer that is not from Telegram';

/** A client for one bot. `apiRoot` null: Telegram's own servers. */
export function createBotApi({
  token,
  apiRoot,
  timeoutSeconds,
}: {
  token: string;
  apiRoot: string | null;
  timeoutSeconds: number;
}): Api {
  // grammY's types name the fetch of node-fetch, of which it uses only what `callServer` has.
  const fetch = callServer as unknown as NonNullable<ApiClientOptions['fetch']>;
  return new Api(token, {
    timeoutSeconds,
    fetch,
    ...(apiRoot !== null && { apiRoot: apiRoot.replace(/\/+$/, '') }),
  });
}

/** What grammY hands to its fetch; its signal is not the one of Node. */
interface ClientRequest {
  method?: string;
  headers?: Record<string, string>;
  /** A stream of the parts when there is a file among them. */
  body?: string | AsyncIterable<Uint8Array>;
  signal?: { aborted: boolean; addEventListener(name: 'abort', listener: () => void): void };
}

/**
 * Stands in for node-fetch for two reasons: errors of Node's fetch say whether a connection was made at all, and a
 * page of a proxy between us and Telegram becomes a refusal with its status instead of a parse error without one.
 */
async function callServer(
  url: string,
  { method, headers, body, signal }: ClientRequest,
): Promise<{ json(): Promise<unknown> }> {
  const ending = new AbortController();
  if (signal?.aborted) ending.abort();
  signal?.addEventListener('abort', () => ending.abort());
  // Node's fetch takes streams, with `duplex`; its types know neither.
  const request = { method, headers, body, duplex: 'half', signal: ending.signal } as RequestInit;
  const response = await fetch(url, request);
  const answer = readAnswer(response.status, await response.text());
  return { json: () => Promise.resolve(answer) };
}

function readAnswer(status: number, text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null && 'ok' in answer) return answer;
  } catch {
    // A page of a proxy, or an answer that broke off.
  }
  return { ok: false, error_code: status, description: foreignAnswer };
}
