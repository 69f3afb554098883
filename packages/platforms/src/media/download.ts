/** One GET of a file, and nothing that a message could make of it: no redirects, no foreign hosts, no inner addresses. */
import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import type { FetchedMedia } from '@palimpsest/core';

export interface DownloadRules {
  /** Hosts of the platform, over https and with public addresses only. */
  hosts: readonly string[];
  /** Origin of a server that the operator named in the config: it may be anywhere. */
  ownOrigin: string | null;
}

export interface Download {
  /** May hold a token: it never gets into a message. */
  url: string;
  rules: DownloadRules;
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** `expired`: 403 or 404, as an old link gives. */
export type Downloaded = FetchedMedia | { kind: 'expired'; message: string };

export async function download(wish: Download): Promise<Downloaded> {
  const place = placeOf(wish.url, wish.rules);
  if (place === null) return { kind: 'gone', message: 'the link does not lead to the platform' };
  const signal = AbortSignal.any([wish.signal, AbortSignal.timeout(wish.timeoutMs)]);
  try {
    return await get(place, wish.maxBytes, signal);
  } catch (thrown) {
    if (thrown instanceof InnerAddress) return { kind: 'gone', message: thrown.message };
    return { kind: 'retry', message: problemWord(thrown, signal) };
  }
}

interface Place {
  url: URL;
  mayBeInner: boolean;
}

/** Null where nothing may be fetched. */
function placeOf(address: string, { hosts, ownOrigin }: DownloadRules): Place | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (ownOrigin !== null && url.origin === ownOrigin) return { url, mayBeInner: true };
  const isTheirs = url.protocol === 'https:' && url.port === '' && hosts.includes(url.hostname);
  return isTheirs && url.username === '' ? { url, mayBeInner: false } : null;
}

function get({ url, mayBeInner }: Place, maxBytes: number, signal: AbortSignal): Promise<Downloaded> {
  const send = url.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { signal, agent: false, ...(mayBeInner ? {} : { lookup: lookUpOutside }) },
      (response) => {
        read(response, maxBytes).then(resolve, reject);
      },
    );
    request.on('error', reject);
    request.end();
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Downloaded> {
  const { statusCode = 0 } = response;
  const refused = refusalOf(statusCode, response.headers['retry-after']);
  const announced = Number(response.headers['content-length'] ?? 0);
  if (refused ?? announced > maxBytes) {
    response.destroy();
    return refused ?? { kind: 'too_large', limitBytes: maxBytes };
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > maxBytes) return { kind: 'too_large', limitBytes: maxBytes };
    chunks.push(chunk);
  }
  if (length === 0) return { kind: 'gone', message: 'the file is empty' };
  return { kind: 'fetched', bytes: Buffer.concat(chunks) };
}

function refusalOf(status: number, retryAfter: string | undefined): Downloaded | null {
  if (status === 200) return null;
  if (status === 403 || status === 404) return { kind: 'expired', message: `HTTP ${status}` };
  const waitMs = Number(retryAfter) * 1000;
  if (status === 429 || status >= 500)
    return { kind: 'retry', message: `HTTP ${status}`, ...(waitMs > 0 ? { waitMs } : {}) };
  // A redirect among them: where it leads is nothing we would follow.
  return { kind: 'gone', message: `HTTP ${status}` };
}

class InnerAddress extends Error {}

/** The resolved addresses are looked at, not the name: a name may point anywhere, and to another place each time. */
const lookUpOutside: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const outside = addresses.filter(({ address }) => !isInner(address));
    if (outside.length < addresses.length || outside.length === 0)
      return callback(new InnerAddress(`${hostname} leads to an inner address`), []);
    const [first] = outside as [LookupAddress];
    if (options.all) callback(null, outside);
    else callback(null, first.address, first.family);
  });
};

/** Loopback, private, link-local, carrier, reserved and multicast ranges, also where IPv6 wraps them. */
export function isInner(address: string): boolean {
  return innerAddresses().check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function innerAddresses(): BlockList {
  const list = new BlockList();
  for (const [net, bits] of innerIpv4) {
    list.addSubnet(net, bits, 'ipv4');
    list.addSubnet(`64:ff9b::${net}`, 96 + bits, 'ipv6');
  }
  for (const [net, bits] of innerIpv6) list.addSubnet(net, bits, 'ipv6');
  return list;
}

const innerIpv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];

const innerIpv6: readonly (readonly [string, number])[] = [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
  ['2001:db8::', 32],
];

/** Codes only: a whole message could hold the address. */
function problemWord(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long';
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'the connection ended';
}
