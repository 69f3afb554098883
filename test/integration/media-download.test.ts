/** A download fetches what the platform's own servers have, and nothing else. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { download, isInner } from '../../packages/platforms/src/media/download.ts';

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of stack.splice(0)) await one[Symbol.asyncDispose]();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function get(url: string, ownOrigin: string | null, more: { maxBytes?: number; timeoutMs?: number } = {}) {
  const rules = { hosts: ['localhost', 'cdn.discordapp.com'], ownOrigin };
  const { signal } = new AbortController();
  return download({ url, rules, maxBytes: 1_000, timeoutMs: 5_000, signal, ...more });
}

test('the bytes of a file on a server that the operator named', async () => {
  const origin = await serve((_, response) => response.end('hello'));

  expect(await get(`${origin}/file`, origin)).toEqual({ kind: 'fetched', bytes: Buffer.from('hello') });
});

test.each([
  ['another port', 'http://127.0.0.1:1/file'],
  ['plain http to the platform', 'http://cdn.discordapp.com/file'],
  ['another host', 'https://169.254.169.254/latest/meta-data'],
  ['a host that only ends like one', 'https://evil-cdn.discordapp.com.example/file'],
  ['a port on the host', 'https://cdn.discordapp.com:8443/file'],
  ['a name before the host', 'https://someone@cdn.discordapp.com/file'],
  ['another scheme', 'file:///etc/passwd'],
  ['what is no link', 'cdn.discordapp.com/file'],
])('%s is not asked', async (_name, url) => {
  expect(await get(url, 'http://127.0.0.1:2')).toEqual({
    kind: 'gone',
    message: 'the link does not lead to the platform',
  });
});

test('a name of the platform that leads to an inner address is not connected to', async () => {
  expect(await get('https://localhost/file', null)).toEqual({
    kind: 'gone',
    message: 'localhost leads to an inner address',
  });
});

test('a redirect is not followed, wherever it leads', async () => {
  const asked: string[] = [];
  const origin = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { location: '/other' }).end();
  });

  expect(await get(`${origin}/file`, origin)).toEqual({ kind: 'gone', message: 'HTTP 302' });
  expect(asked).toEqual(['/file']);
});

describe('too much', () => {
  test('announced: nothing of it is read', async () => {
    const origin = await serve((_, response) => response.end('x'.repeat(1_001)));

    expect(await get(`${origin}/file`, origin)).toEqual({ kind: 'too_large', limitBytes: 1_000 });
  });

  test('not announced: it is cut off at the limit', async () => {
    const origin = await serve((_, response) => {
      response.write('x'.repeat(900));
      response.end('x'.repeat(101));
    });

    expect(await get(`${origin}/file`, origin)).toEqual({ kind: 'too_large', limitBytes: 1_000 });
  });

  test('exactly the limit is taken', async () => {
    const origin = await serve((_, response) => response.end('x'.repeat(1_000)));

    expect(await get(`${origin}/file`, origin)).toMatchObject({ kind: 'fetched' });
  });
});

test('a packed file is not unpacked: its few bytes are what is kept', async () => {
  const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const origin = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'image/png' }).end(packed),
  );

  expect(await get(`${origin}/file`, origin, { maxBytes: 100_000 })).toEqual({
    kind: 'fetched',
    bytes: packed,
  });
});

test.each([
  [403, {}, { kind: 'expired', message: 'HTTP 403' }],
  [404, {}, { kind: 'expired', message: 'HTTP 404' }],
  [410, {}, { kind: 'gone', message: 'HTTP 410' }],
  [429, { 'retry-after': '7' }, { kind: 'retry', message: 'HTTP 429', waitMs: 7_000 }],
  [503, {}, { kind: 'retry', message: 'HTTP 503' }],
])('status %i', async (status, headers, expected) => {
  const origin = await serve((_, response) => response.writeHead(status, headers).end('no'));

  expect(await get(`${origin}/file`, origin)).toEqual(expected);
});

test('an empty file is none', async () => {
  const origin = await serve((_, response) => response.end());

  expect(await get(`${origin}/file`, origin)).toEqual({ kind: 'gone', message: 'the file is empty' });
});

test('a server that does not answer, or breaks off, is worth another try', async () => {
  const silent = await serve(() => {});
  const broken = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 50 }).write('half');
    response.destroy();
  });

  expect(await get(`${silent}/file`, silent, { timeoutMs: 50 })).toEqual({
    kind: 'retry',
    message: 'it took too long',
  });
  expect(await get(`${broken}/file`, broken)).toEqual({ kind: 'retry', message: 'ECONNRESET' });
});

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.0.1', true],
  ['192.168.1.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['0.0.0.0', true],
  ['224.0.0.1', true],
  ['255.255.255.255', true],
  ['::1', true],
  ['::', true],
  ['fe80::1', true],
  ['fd00::1', true],
  ['::ffff:10.0.0.1', true],
  ['64:ff9b::10.0.0.1', true],
  ['149.154.167.220', false],
  ['162.159.130.233', false],
  ['172.32.0.1', false],
  ['2606:4700::6810:1', false],
  ['::ffff:149.154.167.220', false],
])('%s is an inner address: %s', (address, expected) => {
  expect(isInner(address)).toBe(expected);
});
