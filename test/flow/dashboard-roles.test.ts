/** Who may see and do what: operators, viewers, programs with a password, and pages of other sites. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as request, listen, type Answer, type PagesUnderTest } from '../support/dashboard.ts';
import {
  doors,
  guards,
  pageRights,
  pageWishes,
  type Right,
  type RightPlaces,
  type Wish,
} from '../support/page-rights.ts';
import { isSaid, sayEverywhere } from '../support/said-everywhere.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { openStoreWorld, type StoreWorld } from '../support/store-world.ts';
import { answering, ask, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const password = 'open sesame 1';
const viewerPassword = 'only a look 2';
let world: TurnWorld;
let pages: PagesUnderTest;
let sessionId: string;
/** The same database, to put into it what a conversation would not. */
let store: StoreWorld;
let places: RightPlaces;
let rights: Readonly<Record<string, Right>>;

beforeAll(async () => {
  world = await openTurnWorld({
    script: answering(),
    window: 16_000,
    config: 'context: {engine: lcm, lcm: {leaf_chunk_tokens: 1500, fresh_tail_count: 6}}',
  });
  await talk(world, 12);
  await ask(world, '/compress');
  sessionId = await world.sessionId();
  store = await openStoreWorld({ url: world.databaseUrl });
  const said = await sayEverywhere(store);
  const [row] = await world.rows();
  const [head] = await world.store.lcm.heads(sessionId);
  places = { ...said, graph: { id: sessionId, node: head!.id, row: row!.id } };
  rights = pageRights(places);
  pages = await startWorldPages(world, { password, viewerPassword });
}, 240_000);

afterAll(async () => {
  await pages?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
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

/** What an address answers to somebody; of a live stream its first event of that name. */
async function read(
  path: string,
  { stream, headers }: { stream?: string; headers: Record<string, string> },
): Promise<{ status: number; text: string }> {
  if (stream === undefined) return request(`${pages.url}${path}`, { headers });
  using live = await listen(`${pages.url}${path}`, headers);
  return { status: 200, text: JSON.stringify((await live.next(stream)).data) };
}

/** Every place of every right, as an operator or a viewer reads it. */
async function everyRead(role: 'operator' | 'viewer') {
  const { Cookie } = await signIn(role === 'operator' ? password : viewerPassword);
  const headers = { Cookie, Referer: `${pages.url}/` };
  const asked = Object.values(rights).flatMap(({ paths, ...right }) =>
    paths.map((path) => ({ path, ...right })),
  );
  return Promise.all(
    asked.map(async ({ path, stream, tells = false, operatorsOnly = false }) => {
      const isRefused = operatorsOnly && role === 'viewer';
      const { status, text } = await read(path, { headers, ...(stream && !isRefused && { stream }) });
      return { path, tells, operatorsOnly, status, isSaid: isSaid(text) };
    }),
  );
}

test('it is decided of every route what viewers get of it', () => {
  const known = new Set(pages.routes.map(({ method, path }) => `${method} ${path}`));
  const decided = [...guards, ...doors, ...Object.keys(rights), ...Object.keys(pageWishes(places))];

  expect([...known].sort()).toEqual(decided.sort());
});

test('a viewer reads every figure and nothing that was said', async () => {
  const operator = await everyRead('operator');
  const viewer = await everyRead('viewer');

  const refused = viewer.filter(({ status }) => status !== 200);
  expect(refused.map(({ path, status }) => [path, status])).toEqual(
    viewer.filter(({ operatorsOnly }) => operatorsOnly).map(({ path }) => [path, 403]),
  );
  expect(viewer.filter((one) => one.isSaid)).toEqual([]);
  // What the world says is where an operator reads it, else the line above would show nothing.
  expect(operator.filter(({ status }) => status !== 200)).toEqual([]);
  expect(operator.filter((one) => one.isSaid !== one.tells).map(({ path }) => path)).toEqual([]);
});

test('a viewer sees rows without their words and senders, and sessions by the names of their chats', async () => {
  const viewer = await signIn(viewerPassword);
  const get = async (path: string) =>
    (await request(`${pages.url}${path}`, { headers: { ...viewer } })).json();

  const { rows } = await get(`/api/sessions/${sessionId}/rows`);
  const { session } = await get(`/api/sessions/${places.condensed.id}`);
  const { sessions: found } = await get('/api/sessions?search=ferry');
  const { sessions: byChat } = await get('/api/sessions?search=a%20place');
  const { resting } = await get('/api/board/brakes');

  expect((rows as object[])[0]).toMatchObject({
    text: '(hidden)',
    sender: '(hidden)',
    role: 'user',
    state: 'archived',
  });
  expect(session).toMatchObject({ title: null, chatTitle: 'a place' });
  // A search for words of a title would tell what it says.
  expect(found).toEqual([]);
  expect(byChat).toHaveLength(2);
  expect((resting as { title: string | null }[]).map(({ title }) => title)).toEqual([null, null, null]);
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
  const actions = await world.store.boards.actions({ limit: 50 });
  expect(actions.filter(({ actor }) => actor !== 'operator')).toEqual([]);
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

test('nothing is changed by a viewer, nor without the token of a page; with it each wish is heard', async () => {
  const viewer = await signIn(viewerPassword);
  const operator = await signIn(password);
  const post = async ({ path, body }: Wish, headers: object): Promise<number> => {
    const json = { 'Content-Type': 'application/json', ...headers };
    return (
      await request(`${pages.url}${path}`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(body ?? {}),
      })
    ).status;
  };
  const wishes = Object.values(pageWishes(places));
  const csrf = { viewer: await csrfOf(viewer), operator: await csrfOf(operator) };
  const before = await store.query(`SELECT * FROM operator_actions`);

  for (const wish of wishes) {
    const statuses = [
      await post(wish, { ...viewer, 'X-CSRF-Token': csrf.viewer }),
      await post(wish, { Authorization: `Bearer ${viewerPassword}` }),
      await post(wish, { ...operator }),
      await post(wish, { ...operator, 'X-CSRF-Token': csrf.viewer }),
      await post(wish, { Cookie: operator.Cookie, 'X-CSRF-Token': csrf.operator }),
    ];
    expect([wish.path, ...statuses]).toEqual([wish.path, 403, 403, 403, 403, 403]);
  }
  expect(await store.query(`SELECT * FROM operator_actions`)).toEqual(before);
  expect(await world.heard()).not.toContain('hi');

  const heard = [];
  for (const wish of wishes) heard.push(await post(wish, { ...operator, 'X-CSRF-Token': csrf.operator }));
  expect(heard.filter((status) => ![200, 202, 404, 409].includes(status))).toEqual([]);
  expect(heard.filter((status) => status < 300).length).toBeGreaterThanOrEqual(7);
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
