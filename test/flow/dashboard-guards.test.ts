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

test('with a password pages lead to the sign-in page and the API says 401', async () => {
  await using pages = await startPages({ password });

  const page = await ask(`${pages.url}/chat`);
  expect([page.status, page.headers.location]).toEqual([303, '/sign-in?next=%2Fchat']);
  expect((await ask(`${pages.url}/api/sessions`)).status).toBe(401);
  expect((await postMessage(pages, { id: 'a1', text: 'hi' })).status).toBe(401);
  expect((await ask(`${pages.url}/sign-in?next=/chat`)).text).toContain('name="password"');
});

test('the right password gives a cookie that scripts cannot read and other sites cannot use', async () => {
  await using pages = await startPages({ password });

  const answer = await signIn(pages, password, '/chat');

  expect([answer.status, answer.headers.location]).toEqual([303, '/chat']);
  const [cookie] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Strict/);
  expect(cookie).not.toContain(password);
  const signedIn = { Cookie: cookie!.split(';')[0]! };
  expect((await ask(`${pages.url}/chat`, { headers: signedIn })).status).toBe(200);
});

test('a made-up or changed cookie opens nothing', async () => {
  await using pages = await startPages({ password });
  const [cookie] = (await signIn(pages, password)).headers['set-cookie'] ?? [];
  const proof = cookie!.split(';')[0]!.split('=')[1]!;
  const [until, nonce, seal] = proof.split('.') as [string, string, string];

  for (const forged of [
    'x',
    '1.2.3',
    `${Number(until) + 1}.${nonce}.${seal}`,
    `${until}.other.${seal}`,
    `${until}.${nonce}.`,
  ]) {
    const answer = await ask(`${pages.url}/api/sessions`, { headers: { Cookie: `palimpsest=${forged}` } });
    expect([forged, answer.status]).toEqual([forged, 401]);
  }
});

test('a cookie is outdated after a month', async () => {
  let now = new Date('2026-01-01T00:00:00Z');
  const clock = { now: () => now, sleep: async () => {} };
  await using pages = await startPages({ password, deps: { clock } });
  const [cookie] = (await signIn(pages, password)).headers['set-cookie'] ?? [];
  const headers = { Cookie: cookie!.split(';')[0]! };

  now = new Date('2026-01-30T23:59:00Z');
  expect((await ask(`${pages.url}/api/sessions`, { headers })).status).toBe(200);
  now = new Date('2026-01-31T00:01:00Z');
  expect((await ask(`${pages.url}/api/sessions`, { headers })).status).toBe(401);
});

test('a sign-in leads to our own pages only', async () => {
  await using pages = await startPages({ password });

  for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
    expect((await signIn(pages, password, next)).headers.location).toBe('/');
  }
});

test('the tenth wrong password is the last for a while, and then the right one waits too', async () => {
  let now = new Date('2026-01-01T00:00:00Z');
  await using pages = await startPages({
    password,
    deps: { clock: { now: () => now, sleep: async () => {} } },
  });

  const statuses: number[] = [];
  for (let index = 0; index < 10; index++) statuses.push((await signIn(pages, `guess ${index}`)).status);
  const late = await signIn(pages, password);
  now = new Date('2026-01-01T00:15:01Z');
  const later = await signIn(pages, password);

  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 401, 401]);
  expect([late.status, late.headers['retry-after']]).toEqual([429, '900']);
  expect(later.status).toBe(303);
});

test('probes and metrics answer on loopback without sign-in', async () => {
  await using pages = await startPages({ password });

  expect((await ask(`${pages.url}/healthz`)).status).toBe(200);
  expect((await ask(`${pages.url}/readyz`)).json()).toHaveProperty('checks');
  expect((await ask(`${pages.url}/metrics`)).text).toBe('gateway_sessions 3\n');
});

test('from elsewhere metrics want the password as bearer and probes give no details', async () => {
  await using pages = await startPages({ password, publicHost: 'chat.example.org' });
  const elsewhere = { Host: 'chat.example.org' };

  expect((await ask(`${pages.url}/metrics`, { headers: elsewhere })).status).toBe(401);
  expect(
    (await ask(`${pages.url}/metrics`, { headers: { ...elsewhere, Authorization: 'Bearer wrong' } })).status,
  ).toBe(401);
  const allowed = await ask(`${pages.url}/metrics`, {
    headers: { ...elsewhere, Authorization: `Bearer ${password}` },
  });
  expect(allowed.text).toBe('gateway_sessions 3\n');
  expect((await ask(`${pages.url}/readyz`, { headers: elsewhere })).json()).toEqual({ ready: true });
  expect((await ask(`${pages.url}/healthz`, { headers: elsewhere })).status).toBe(200);
});

test('what a proxy forwards is from elsewhere, although the proxy is on this machine', async () => {
  await using pages = await startPages({ password });

  expect((await ask(`${pages.url}/metrics`, { headers: { 'X-Forwarded-For': '203.0.113.9' } })).status).toBe(
    401,
  );
});

test('pages come with a strict policy: own scripts only, nothing inline but the import map', async () => {
  await using pages = await startPages();

  const page = await ask(`${pages.url}/chat`);

  const policy = String(page.headers['content-security-policy']);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.text).toContain(`<script type="importmap" nonce="${nonce}">`);
  expect(page.text.match(/<script/g)).toHaveLength(2);
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

function signIn(pages: { url: string; origin: string }, given: string, next = '/') {
  return ask(`${pages.url}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: pages.origin },
    body: new URLSearchParams({ password: given, next }).toString(),
  });
}
