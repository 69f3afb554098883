import { expect, test } from 'vitest';
import { ask, postMessage, startPages } from '../support/dashboard.ts';

const password = 'open sesame 1';

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

test.each(['/api/sessions', '/metrics'])(
  'who guesses the password by bearer at %s is stopped at the tenth guess, at every door',
  async (path) => {
    let now = new Date('2026-01-01T00:00:00Z');
    const clock = { now: () => now, sleep: async () => {} };
    await using pages = await startPages({ password, publicHost: 'chat.example.org', deps: { clock } });
    const bearer = (given: string, where = path) =>
      ask(`${pages.url}${where}`, {
        headers: { Host: 'chat.example.org', Authorization: `Bearer ${given}` },
      });

    const statuses: number[] = [];
    for (let index = 0; index < 9; index++) statuses.push((await bearer(`guess ${index}`)).status);
    const tenth = await bearer('guess 9');
    const right = await bearer(password);
    const elsewhere = [
      (await bearer(password, '/api/overview')).status,
      (await bearer(password, '/metrics')).status,
    ];
    const typed = await signIn(pages, password);
    now = new Date('2026-01-01T00:15:01Z');
    const later = await bearer(password);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 401]);
    expect([tenth.status, right.status, right.headers['retry-after']]).toEqual([429, 429, '900']);
    expect(right.text).toContain('Too many wrong passwords. Try again in 15 minutes.');
    expect([...elsewhere, typed.status]).toEqual([429, 429, 429]);
    expect(later.status).toBe(200);
  },
);

test('guesses by bearer shut nobody out who has signed in already, and tell no probe that we are not ready', async () => {
  await using pages = await startPages({ password });
  const [cookie] = (await signIn(pages, password)).headers['set-cookie'] ?? [];
  const Authorization = 'Bearer wrong';

  for (let index = 0; index < 12; index++)
    await ask(`${pages.url}/api/sessions`, { headers: { Authorization } });

  const headers = { Cookie: cookie!.split(';')[0]!, Authorization };
  expect((await ask(`${pages.url}/api/sessions`, { headers })).status).toBe(200);
  const forwarded = { Authorization, 'X-Forwarded-For': '203.0.113.9' };
  expect((await ask(`${pages.url}/readyz`, { headers: forwarded })).json()).toEqual({ ready: true });
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

function signIn(pages: { url: string; origin: string }, given: string, next = '/') {
  return ask(`${pages.url}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: pages.origin },
    body: new URLSearchParams({ password: given, next }).toString(),
  });
}
