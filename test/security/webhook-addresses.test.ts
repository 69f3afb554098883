/**
 * Names that lead into our own networks. Addresses themselves stand in test/unit/hook-webhooks.test.ts, what an operator
 * allows in test/integration/hook-deliveries.test.ts, files of messages in test/integration/media-download.test.ts.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postWebhook } from '../../apps/worker/src/hooks/post-webhook.ts';

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of stack.splice(0)) await one[Symbol.asyncDispose]();
});

/** A server of our own network; `asked` fills. */
async function serve(answer: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** A name server that gives these answers in turn. */
function names(...answers: readonly (readonly string[])[]): LookupFunction {
  let look = 0;
  return (_hostname, _options, callback) => {
    const found = answers[Math.min(look++, answers.length - 1)]!;
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

function post(url: string, lookup: LookupFunction, allowPrivate = false) {
  const { signal } = new AbortController();
  return postWebhook({ url, headers: {}, body: '{}', allowPrivate, signal, lookup });
}

test.each([
  ['loopback', '127.0.0.1'],
  ['the metadata service of a cloud', '169.254.169.254'],
  ['a private network', '10.1.2.3'],
  ['loopback in the dress of IPv6', '::ffff:127.0.0.1'],
])('a name that leads to %s is not connected to', async (_name, address) => {
  const { port, asked } = await serve((_, response) => response.end());

  const end = await post(`http://hooks.example:${port}/in`, names([address]));

  expect(end).toMatchObject({ kind: 'failed', problem: expect.stringContaining('private network') });
  expect(asked).toEqual([]);
});

test('one inner address among outer ones is enough', async () => {
  const { port, asked } = await serve((_, response) => response.end());

  const end = await post(`http://hooks.example:${port}/in`, names(['93.184.216.34', '127.0.0.1']));

  expect(end).toMatchObject({ kind: 'failed', problem: expect.stringContaining('127.0.0.1') });
  expect(asked).toEqual([]);
});

test('the address that was judged is the one that is connected to: a name is looked up once', async () => {
  const { port, asked } = await serve((_, response) => response.end());
  let looks = 0;
  const once: LookupFunction = (hostname, options, callback) => {
    looks += 1;
    names(['127.0.0.1'])(hostname, options, callback);
  };

  const end = await post(`http://hooks.example:${port}/in`, once, true);

  expect(end).toEqual({ kind: 'ok' });
  expect([looks, asked]).toEqual([1, ['/in']]);
});

test('a redirect into our network is not followed', async () => {
  const inner = await serve((_, response) => response.end());
  const outer = await serve((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/secret` }).end();
  });

  const end = await post(`http://hooks.example:${outer.port}/in`, names(['127.0.0.1']), true);

  expect(end).toMatchObject({ kind: 'failed', problem: 'answered 307' });
  expect(inner.asked).toEqual([]);
});
