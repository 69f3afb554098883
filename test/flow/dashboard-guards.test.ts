import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ask, listen, postMessage, startPages } from '../support/dashboard.ts';

const password = 'open sesame 1';

test('pages answer under loopback names', async () => {
  await using pages = await startPages();

  for (const host of [
    `127.0.0.1:${pages.port}`,
    `localhost:${pages.port}`,
    `[::1]:${pages.port}`,
    'LOCALHOST',
  ]) {
    expect([host, (await ask(`${pages.url}/chat`, { headers: { Host: host } })).status]).toEqual([host, 200]);
  }
});

test('a foreign Host is refused, whatever it looks like', async () => {
  await using pages = await startPages();

  for (const host of [
    'evil.example',
    `evil.example:${pages.port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.1.7',
  ]) {
    const answer = await ask(`${pages.url}/api/sessions`, { headers: { Host: host } });
    expect([host, answer.status]).toEqual([host, 403]);
  }
});

test('the configured public host is served', async () => {
  await using pages = await startPages({ publicHost: 'chat.example.org' });

  expect((await ask(`${pages.url}/chat`, { headers: { Host: 'chat.example.org' } })).status).toBe(200);
  expect((await ask(`${pages.url}/chat`, { headers: { Host: 'other.example.org' } })).status).toBe(403);
});

test.each<[string, Record<string, string>]>([
  ['a foreign Origin', { Origin: 'https://evil.example' }],
  ['an opaque Origin', { Origin: 'null' }],
  ['another port of this machine', { Origin: 'http://127.0.0.1:1' }],
  ['a cross-site fetch', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a same-site fetch', { 'Sec-Fetch-Site': 'same-site' }],
  ['no word about the asker', {}],
])('a write with %s is refused', async (_name, headers) => {
  await using pages = await startPages();

  const answer = await ask(`${pages.url}/api/chat/main/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ id: 'a1', text: 'hi' }),
  });

  expect(answer.status).toBe(403);
  expect(pages.world.submitted).toEqual([]);
});

test('a write with our Origin but a foreign Sec-Fetch-Site is refused', async () => {
  await using pages = await startPages();

  expect(
    (await postMessage(pages, { id: 'a1', text: 'hi' }, { 'Sec-Fetch-Site': 'cross-site' })).status,
  ).toBe(403);
});

test('a write from our own page is taken, by Origin or by Sec-Fetch-Site', async () => {
  await using pages = await startPages();

  expect((await postMessage(pages, { id: 'a1', text: 'hi' })).status).toBe(202);
  const answer = await ask(`${pages.url}/api/chat/main/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ id: 'a2', text: 'ho' }),
  });
  expect(answer.status).toBe(202);
});

test('live streams are refused to other pages and open to ours', async () => {
  await using pages = await startPages();
  const address = `${pages.url}/api/chat/main/events`;

  expect((await ask(address)).status).toBe(403);
  expect((await ask(address, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(403);
  expect((await ask(address, { headers: { Referer: 'https://evil.example/' } })).status).toBe(403);
  using byFetchSite = await listen(address, { 'Sec-Fetch-Site': 'same-origin' });
  await byFetchSite.next('progress');
  using byReferer = await listen(address, { Referer: `${pages.url}/chat` });
  await byReferer.next('progress');
});

test('another address than loopback without a password is refused', async () => {
  await expect(startPages({ host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('Set PALIMPSEST_PASSWORD') as string,
  });
});

test('another address with a password is listened on', async () => {
  await using pages = await startPages({ host: '0.0.0.0', password });

  expect((await ask(`http://127.0.0.1:${pages.port}/healthz`)).status).toBe(200);
});

test('a port in use is a clear error', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await expect(startPages({ port })).rejects.toMatchObject({
      code: 'config_invalid',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use by another program. Stop it, or take another port: PORT=${port + 1} npm start`,
    });
  } finally {
    other.close();
  }
});

test('pages come with a strict policy: own scripts only, nothing inline but the import map', async () => {
  await using pages = await startPages();

  const page = await ask(`${pages.url}/chat`);

  const policy = String(page.headers['content-security-policy']);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.text).toContain(`<script type="importmap" nonce="${nonce}">`);
  expect(page.text.match(/<script/g)).toHaveLength(3);
  expect(page.text).not.toMatch(/\son[a-z]+=|style=/);
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  const again = await ask(`${pages.url}/chat`);
  expect(again.headers['content-security-policy']).not.toBe(policy);
});

test('what an address brings along is text on the page', async () => {
  await using pages = await startPages();

  const page = await ask(`${pages.url}/sessions/${encodeURIComponent('"><script>alert(1)</script>')}`);

  expect(page.text).not.toContain('<script>alert');
});

test('assets are our files and the installed libraries, nothing else', async () => {
  await using pages = await startPages();

  expect((await ask(`${pages.url}/assets/chat-page.js`)).headers['content-type']).toContain(
    'text/javascript',
  );
  expect((await ask(`${pages.url}/assets/vendor/preact.js`)).status).toBe(200);
  expect((await ask(`${pages.url}/assets/vendor/htm-preact.js`)).text).toContain('from"preact"');
  expect((await ask(`${pages.url}/assets/%2e%2e/create-pages.ts`)).status).toBe(404);
  expect((await ask(`${pages.url}/assets/..%2fcreate-pages.ts`)).status).toBe(404);
});

test('an asset known to the browser is not sent again', async () => {
  await using pages = await startPages();
  const { etag } = (await ask(`${pages.url}/assets/base.css`)).headers;

  expect(
    (await ask(`${pages.url}/assets/base.css`, { headers: { 'If-None-Match': String(etag) } })).status,
  ).toBe(304);
});

test('a mounted route stands outside the guards', async () => {
  await using pages = await startPages({
    password,
    deps: { mount: (app) => app.post('/telegram/webhook', (c) => c.text('taken')) },
  });

  const answer = await ask(`${pages.url}/telegram/webhook`, {
    method: 'POST',
    headers: { Host: 'bot.example.org' },
  });

  expect([answer.status, answer.text]).toEqual([200, 'taken']);
});

test('a process without the local chat serves probes and metrics only', async () => {
  await using pages = await startPages({ deps: { listener: null } });

  expect((await ask(`${pages.url}/healthz`)).status).toBe(200);
  expect((await ask(`${pages.url}/chat`)).status).toBe(404);
  expect((await ask(`${pages.url}/api/sessions`)).status).toBe(404);
});
