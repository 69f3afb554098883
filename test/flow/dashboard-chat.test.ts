import { expect, test } from 'vitest';
import { ask, listen, postMessage, startPages, type PagesUnderTest } from '../support/dashboard.ts';

function events(pages: PagesUnderTest, headers: Record<string, string> = {}, query = '') {
  return listen(`${pages.url}/api/chat/main/events${query}`, { 'Sec-Fetch-Site': 'same-origin', ...headers });
}

test('a message is answered with 202 once it is committed', async () => {
  await using pages = await startPages();

  const answer = await postMessage(pages, { id: 'w1', text: 'hello' });

  expect([answer.status, answer.json()]).toEqual([202, { result: 'stored' }]);
  expect(pages.world.submitted).toMatchObject([
    { chatId: 'main', messageId: 'w1', text: 'hello', senderId: 'local' },
  ]);
});

test('the same message sent twice is stored once', async () => {
  await using pages = await startPages();
  await postMessage(pages, { id: 'w1', text: 'hello' });

  const answer = await postMessage(pages, { id: 'w1', text: 'hello' });

  expect([answer.status, answer.json()]).toEqual([202, { result: 'duplicate' }]);
  expect(pages.world.submitted).toHaveLength(1);
});

test('an edit names the message it changes', async () => {
  await using pages = await startPages();

  await postMessage(pages, { id: 'w2', text: 'hello there', edits: 'w1' });

  expect(pages.world.submitted).toMatchObject([{ messageId: 'w2', edits: 'w1', text: 'hello there' }]);
});

test('with the database away a message is refused with 503 and when to come back', async () => {
  await using pages = await startPages();
  pages.world.away = true;

  const answer = await postMessage(pages, { id: 'w1', text: 'hello' });

  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
  expect(answer.json()).toEqual({
    error: { code: 'database_unavailable', message: 'the database does not answer; start it again' },
  });
});

test.each([
  ['no JSON', '{"id":', 'the body is no JSON object'],
  ['no id', { text: 'hi' }, 'id has 1 to 64'],
  ['an id that is none', { id: 'a b', text: 'hi' }, 'id has 1 to 64'],
  ['white space only', { id: 'w1', text: ' \n ' }, 'text is empty'],
  ['a wrong edits', { id: 'w1', text: 'hi', edits: 7 }, 'edits is the id'],
])('a body with %s is a clear error', async (_name, body, words) => {
  await using pages = await startPages();

  const answer = await postMessage(pages, body);

  expect(answer.status).toBe(400);
  expect(answer.text).toContain(words);
  expect(pages.world.submitted).toEqual([]);
});

test('a message of 5 MB is taken whole, one over the limit is refused with its size', async () => {
  await using pages = await startPages();
  const large = 'x'.repeat(5 * 1024 * 1024);

  expect((await postMessage(pages, { id: 'w1', text: large })).status).toBe(202);
  expect(pages.world.submitted[0]?.text.length).toBe(5_242_880);
  const answer = await postMessage(pages, { id: 'w2', text: large + large });
  expect(answer.status).toBe(413);
  expect(answer.text).toContain('larger than 8 MB');
});

test('the history comes oldest first with where to listen from', async () => {
  await using pages = await startPages();
  await postMessage(pages, { id: 'w1', text: 'hello' });
  pages.world.claim();
  pages.world.finish('good day');

  const answer = await ask(`${pages.url}/api/chat/main/history`);

  expect(answer.json()).toMatchObject({
    lines: [
      { text: 'hello', kind: 'person' },
      { text: 'good day', kind: 'assistant' },
    ],
    lastEventId: 1,
    more: false,
  });
});

test('an answer streams: text so far, then the reply with its id, then nothing runs', async () => {
  await using pages = await startPages();
  using stream = await events(pages);
  expect((await stream.next('progress')).data).toBeNull();

  pages.world.write('turn-1', 'Good');
  expect((await stream.next('progress')).data).toEqual({ turnId: 'turn-1', text: 'Good', note: '' });
  pages.world.write('turn-1', 'Good day', 'reading');
  expect((await stream.next('progress')).data).toEqual({
    turnId: 'turn-1',
    text: 'Good day',
    note: 'reading',
  });
  pages.world.finish('Good day!');

  expect(await stream.next('reply')).toMatchObject({
    id: '1',
    data: { id: 1, text: 'Good day!', kind: 'final' },
  });
  expect((await stream.next('progress')).data).toBeNull();
});

test('a notice is an event of its own', async () => {
  await using pages = await startPages();
  using stream = await events(pages);
  await stream.next('progress');

  pages.world.notice('ℹ️ Older lines were condensed.');

  expect(await stream.next('notice')).toMatchObject({
    id: '1',
    data: { text: 'ℹ️ Older lines were condensed.' },
  });
});

test('a reconnect gets every reply it missed, by Last-Event-ID', async () => {
  await using pages = await startPages();
  pages.world.finish('one');
  pages.world.finish('two');
  pages.world.notice('three');

  using stream = await events(pages, { 'Last-Event-ID': '1' });

  expect(await stream.next('reply')).toMatchObject({ id: '2', data: { text: 'two' } });
  expect(await stream.next('notice')).toMatchObject({ id: '3', data: { text: 'three' } });
});

test('the last id of the browser beats the one in the address', async () => {
  await using pages = await startPages();
  pages.world.finish('one');
  pages.world.finish('two');

  using stream = await events(pages, { 'Last-Event-ID': '1' }, '?after=0');

  expect(await stream.next('reply')).toMatchObject({ id: '2' });
});

test('a reply whose notice was lost still comes', async () => {
  await using pages = await startPages();
  using stream = await events(pages);
  await stream.next('progress');

  // No notice: written behind the back of whoever listens.
  pages.world.replies.push({ id: 1, text: 'found by looking', kind: 'final', at: new Date() });

  expect(await stream.next('reply')).toMatchObject({ data: { text: 'found by looking' } });
});

test('a stream outlives a database that is away for a while', async () => {
  await using pages = await startPages();
  using stream = await events(pages);
  await stream.next('progress');

  pages.world.away = true;
  pages.world.tell({ kind: 'reply', chatRowId: 1, account: 'local-local' });
  await stream.next('away');
  pages.world.away = false;
  pages.world.finish('back again');

  expect(await stream.next('reply')).toMatchObject({ data: { text: 'back again' } });
});

test('progress of other chats is looked up once and then passed over', async () => {
  let looks = 0;
  await using plain = await startPages();
  const { world } = plain;
  const { localChat } = world.deps();
  const counting = { ...localChat, progress: (chatId: string) => (looks++, localChat.progress(chatId)) };
  await using pages = await startPages({ world, deps: { localChat: counting } });
  using stream = await events(pages);
  await stream.next('progress');

  world.tell({ kind: 'progress', chatRowId: 9, turnId: 'foreign', sessionId: 's' });
  await expect.poll(() => looks).toBe(2);
  world.tell({ kind: 'progress', chatRowId: 9, turnId: 'foreign', sessionId: 's' });
  world.finish('ours');
  await stream.next('reply');

  expect(looks).toBe(3);
});

test('closing ends live streams and the subscription at once', async () => {
  const pages = await startPages();
  using stream = await events(pages);
  await stream.next('progress');
  expect(pages.world.listeners).toBe(1);

  const began = Date.now();
  await pages.close();
  await stream.ended;

  expect(Date.now() - began).toBeLessThan(1_500);
  await expect.poll(() => pages.world.listeners).toBe(0);
});

test('a browser that leaves is noticed', async () => {
  await using pages = await startPages();
  const stream = await events(pages);
  await stream.next('progress');

  stream[Symbol.dispose]();

  await expect.poll(() => pages.world.listeners, { timeout: 6_000 }).toBe(0);
});

test('a chat id is a short word', async () => {
  await using pages = await startPages();

  expect((await ask(`${pages.url}/api/chat/${'a'.repeat(65)}/history`)).status).toBe(400);
  expect((await ask(`${pages.url}/api/chat/a%20b/history`)).status).toBe(400);
});

test('a chat an operator has closed says so', async () => {
  await using pages = await startPages({
    deps: {
      listener: { submit: async () => ({ updateKey: 'k', result: 'denied', reason: 'denied_by_operator' }) },
    },
  });

  expect((await postMessage(pages, { id: 'w1', text: 'hello' })).status).toBe(403);
});
