import { lookup as systemLookup } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-address.ts';

export interface WebhookPost {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  allowPrivate: boolean;
  signal: AbortSignal;
  /** Left out: the system's; tests put names on addresses. */
  lookup?: LookupFunction;
}

/** `gone`: the receiver wants nothing more. `retryAfterMs`: it asked for that much time. */
export type WebhookEnd =
  | { kind: 'ok' }
  | { kind: 'failed'; problem: string; gone: boolean; retryAfterMs: number | null };

/**
 * One POST. The address a name resolves to is judged at the moment of the connection, so that no second look-up can lead
 * elsewhere; a redirect is not followed. Never throws.
 */
export function postWebhook(post: WebhookPost): Promise<WebhookEnd> {
  const url = new URL(post.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!post.allowPrivate && isIP(host) !== 0 && isPrivateAddress(host))
    return Promise.resolve(failed(refusal(host)));
  return new Promise((resolve) => {
    const open = url.protocol === 'https:' ? secureRequest : plainRequest;
    const sent = open(
      url,
      {
        method: 'POST',
        headers: { ...post.headers, 'content-length': String(Buffer.byteLength(post.body)) },
        signal: post.signal,
        lookup: guarded(post),
        agent: false,
      },
      (response) => {
        const status = response.statusCode ?? 0;
        const seconds = Number(response.headers['retry-after']);
        response.destroy();
        if (status >= 200 && status < 300) return resolve({ kind: 'ok' });
        const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
        resolve({ kind: 'failed', problem: `answered ${status}`, gone: status === 410, retryAfterMs });
      },
    );
    sent.on('error', (thrown) => resolve(failed(problemOf(thrown, post.signal))));
    sent.end(post.body);
  });
}

function guarded({ allowPrivate, lookup = systemLookup }: WebhookPost): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, { ...options, all: true }, (problem, found, family) => {
      if (problem) return answer(problem, '', 4);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: family ?? 4 }];
      const bad = allowPrivate ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
      const first = addresses[0];
      if (bad !== undefined || first === undefined)
        return answer(new Error(refusal(bad?.address ?? hostname)), '', 4);
      if (options.all) return answer(null, addresses);
      answer(null, first.address, first.family);
    });
  };
}

function refusal(address: string): string {
  return `${address} is an address of a private network; allow_private: true lets this hook go there`;
}

function problemOf(thrown: Error, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time';
  return 'code' in thrown ? `${String(thrown.code)}: ${thrown.message}` : thrown.message;
}

function failed(problem: string): WebhookEnd {
  return { kind: 'failed', problem, gone: false, retryAfterMs: null };
}
