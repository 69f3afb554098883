/** Who may see and do what: operators, viewers, programs with a password, and pages of other sites. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as request, type Answer, type PagesUnderTest } from '../support/dashboard.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const password = 'open sesame 1';
const viewerPassword = 'only a look 2';
let world: TurnWorld;
let pages: PagesUnderTest;
let sessionId: string;

beforeAll(async () => {
  world = await openTurnWorld({
    script: answering(),
    window: 16_000,
    config: 'context: {engine: lcm, lcm: {leaf_chunk_tokens: 1500, fresh_tail_count: 6}}',
  });
  await talk(world, 12);
  await ask(world, '/compress');
  sessionId = await world.sessionId();
  pages = await startWorldPages(world, { password, viewerPassword });
}, 240_000);

afterAll(async () => {
  await pages?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

interface SignedIn {
  Cookie: string;
  Origin: string;
}

async function signIn(given: string): Promise<SignedIn> {
  const answer = await request(`${pages.url}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: pages.origin },
    body: new URLSearchParams({ password: given, next: '/' }).toString(),
  });
  const [cookie] = answer.headers['set-cookie'] ?? [];
  return { Cookie: cookie!.split(';')[0]!, Origin: pages.origin };
}

async function csrfOf(who: SignedIn): Promise<string> {
  const { text } = await request(`${pages.url}/sessions`, { headers: { ...who } });
  return /data-csrf="([^"]+)"/.exec(text)![1]!;
}

function act(wish: object, headers: Record<string, string>): Promise<Answer> {
  return request(`${pages.url}/api/sessions/${sessionId}/act`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(wish),
  });
}

/** Everything a page reads of this session and around it. */
async function everyRead(who: SignedIn): Promise<{ path: string; answer: Answer }[]> {
  const get = async (path: string) => ({
    path,
    answer: await request(`${pages.url}${path}`, { headers: { ...who } }),
  });
  const one = `/api/sessions/${sessionId}`;
  const { answer } = await get(`${one}/lcm/nodes?depth=0`);
  const [node] = answer.json()['nodes'] as { id: string }[];
  const [row] = (await get(`${one}/rows?limit=1`)).answer.json()['rows'] as { id: number }[];
  const paths = [
    '/api/overview',
    '/api/sessions',
    '/api/compactions',
    '/api/board/compactions',
    '/api/board/brakes',
    '/api/events/recent',
    '/api/actions',
    '/api/deliveries',
    '/api/queues',
    one,
    `${one}/context`,
    `${one}/compactions`,
    `${one}/palimpsest`,
    `${one}/rows`,
    `${one}/rows/${row!.id}/text`,
    `${one}/lcm`,
    `${one}/lcm/context`,
    `${one}/lcm/nodes?depth=0`,
    `${one}/lcm/nodes/${node!.id}`,
    `${one}/lcm/nodes/${node!.id}/messages`,
    `${one}/lcm/doctor`,
    `${one}/dcp`,
    `${one}/dcp/blocks`,
    `${one}/dcp/events`,
  ];
  return Promise.all(paths.map(get));
}

test('a viewer reads every figure and nothing that was said', async () => {
  const operator = await everyRead(await signIn(password));
  const viewer = await everyRead(await signIn(viewerPassword));

  const withText = operator.filter(({ answer }) => /ferry/i.test(answer.text)).map(({ path }) => path);
  // The text of the page, of all rows, of one row, and of what lies under a node.
  expect(withText.length).toBeGreaterThanOrEqual(4);
  expect(viewer.map(({ answer }) => answer.status)).toEqual(viewer.map(() => 200));
  expect(viewer.filter(({ answer }) => /ferry/i.test(answer.text))).toEqual([]);
  const rows = viewer.find(({ path }) => path.endsWith('/rows'))!.answer.json()['rows'] as object[];
  expect(rows[0]).toMatchObject({ text: '(hidden)', sender: '(hidden)', role: 'user', state: 'archived' });
});

test('a viewer has no chat, no export and does nothing', async () => {
  const viewer = await signIn(viewerPassword);
  const headers = { ...viewer, 'X-CSRF-Token': await csrfOf(viewer) };
  const get = (path: string) => request(`${pages.url}${path}`, { headers: { ...viewer } });

  expect((await act({ act: 'reset_rests' }, headers)).status).toBe(403);
  expect((await get('/chat')).status).toBe(403);
  expect((await get('/api/chat/test/history')).status).toBe(403);
  expect((await get(`/api/sessions/${sessionId}/export`)).status).toBe(403);
  expect((await get('/sessions')).text).not.toContain('href="/chat"');
  expect((await world.store.boards.actions({ limit: 5 })).length).toBe(0);
});

test('a change needs the token of a page of that very sign-in', async () => {
  const one = await signIn(password);
  const other = await signIn(password);

  expect((await act({ act: 'preview' }, { ...one })).status).toBe(403);
  expect((await act({ act: 'preview' }, { ...one, 'X-CSRF-Token': await csrfOf(other) })).status).toBe(403);
  const done = await act({ act: 'preview' }, { ...one, 'X-CSRF-Token': await csrfOf(one) });
  expect(done.status).toBe(200);
  expect(done.json()).toMatchObject({ preview: { rowsBefore: expect.any(Number) as number } });
});

test('a program gives the password with its request and needs no page', async () => {
  const program = { Authorization: `Bearer ${password}` };

  expect((await act({ act: 'preview' }, program)).status).toBe(200);
  expect((await act({ act: 'preview' }, { Authorization: `Bearer ${viewerPassword}` })).status).toBe(403);
  expect((await act({ act: 'preview' }, { Authorization: 'Bearer wrong' })).status).toBe(401);
  const [newest] = await world.store.boards.actions({ limit: 1 });
  expect(newest).toMatchObject({ act: 'preview', actor: 'operator', via: 'dashboard', sessionId });
});

test('what cannot be done is told, and leaves no row', async () => {
  const program = { Authorization: `Bearer ${password}` };
  const before = (await world.store.boards.actions({ limit: 50 })).length;

  const wrong = await act({ act: 'erase', confirm: 'yes' }, program);
  const unknown = await act({ act: 'dance' }, program);
  const nobody = await request(`${pages.url}/api/sessions/nobody/act`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...program },
    body: JSON.stringify({ act: 'compact' }),
  });

  expect([wrong.status, unknown.status, nobody.status]).toEqual([400, 400, 404]);
  expect(wrong.text).toContain('type the last 8 characters');
  expect((await world.store.boards.actions({ limit: 50 })).length).toBe(before);
});

test('without a password the config says what this machine may do', async () => {
  await using open = await startWorldPages(world, { role: 'viewer' });
  const rows = (await request(`${open.url}/api/sessions/${sessionId}/rows`)).text;

  expect(rows).not.toMatch(/ferry/i);
  expect((await request(`${open.url}/chat`)).status).toBe(403);
});
