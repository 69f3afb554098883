/**
 * Bodies that are meant to do harm, at the pages. Wrong passwords, made-up cookies, foreign hosts and pages stand in
 * test/flow/dashboard-sign-in.test.ts and dashboard-guards.test.ts.
 */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ask, postMessage, startPages, type PagesUnderTest } from '../support/dashboard.ts';

const megabyte = 1024 * 1024;

/** Post pieces without saying how many there will be, as long as somebody takes them. */
function flood(pages: PagesUnderTest, path: string): Promise<{ status: number | null; bytes: number }> {
  return new Promise((resolve) => {
    const sent = { status: null as number | null, bytes: 0 };
    const headers = { Origin: pages.origin, 'Content-Type': 'application/x-www-form-urlencoded' };
    const call = request(`${pages.url}${path}`, { method: 'POST', headers }, (response) => {
      sent.status = response.statusCode ?? null;
      call.destroy();
    });
    call.on('close', () => resolve(sent));
    call.on('error', () => resolve(sent));
    const push = (): void => {
      while (!call.destroyed && sent.bytes < 256 * megabyte) {
        sent.bytes += megabyte / 16;
        if (!call.write(Buffer.alloc(megabyte / 16, 'x'))) return void call.once('drain', push);
      }
      call.end();
    };
    push();
  });
}

test('whoever has not signed in cannot make us read a body without end', async () => {
  await using pages = await startPages({ password: 'open sesame 1' });

  const sent = await flood(pages, '/sign-in');

  expect(sent.status).toBe(413);
  // What lies in the buffers of both ends of the line comes on top.
  expect(sent.bytes).toBeLessThan(64 * megabyte);
});

test.each(['/sign-in', '/api/sessions/s1/actions/compact', '/api/deliveries/1/retry'])(
  'a body of a megabyte at %s is refused by its length',
  async (path) => {
    await using pages = await startPages(path === '/sign-in' ? { password: 'open sesame 1' } : {});

    const answer = await ask(`${pages.url}${path}`, {
      method: 'POST',
      headers: { Origin: pages.origin, 'Content-Type': 'application/json' },
      body: `"${'x'.repeat(megabyte)}"`,
    });

    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('larger than 256 KB')]);
  },
);

test('a packed message is not unpacked', async () => {
  await using pages = await startPages();
  const headers = { Origin: pages.origin, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };

  const answer = await fetch(`${pages.url}/api/chat/main/messages`, {
    method: 'POST',
    headers,
    body: gzipSync(JSON.stringify({ id: 'w1', text: 'x'.repeat(7 * megabyte) })),
  });

  expect(answer.status).toBe(400);
  expect(pages.world.submitted).toEqual([]);
});

test('a message of a hundred thousand levels is refused, and the next one is taken', async () => {
  await using pages = await startPages();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const headers = { Origin: pages.origin, 'Content-Type': 'application/json' };
  const url = `${pages.url}/api/chat/main/messages`;

  const asText = await ask(url, { method: 'POST', headers, body: `{"id":"w1","text":${deep}}` });
  const whole = await ask(url, { method: 'POST', headers, body: deep });
  const behind = await postMessage(pages, { id: 'w2', text: 'behind them' });

  expect([asText.status, whole.status, behind.status]).toEqual([400, 400, 202]);
  expect(pages.world.submitted.map(({ text }) => text)).toEqual(['behind them']);
});
