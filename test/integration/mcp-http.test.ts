/** Tool servers on streamable HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startHttpToolServer } from '../support/mcp/http-server.ts';
import { openServers } from '../support/mcp/tool-servers.ts';

const soon = { timeout: 15_000, interval: 50 };

test('tools of a server elsewhere are offered and called, with the headers of the config', async () => {
  await using far = await startHttpToolServer('open-sesame');
  await using servers = openServers(`{ far: { url: "${far.url}", headers: { x-key: "\${FAR_KEY}" } } }`, {
    FAR_KEY: 'open-sesame',
  });

  expect(await servers.names()).toContain('far_echo');
  expect(await servers.run('far_echo', { a: 1 })).toEqual({ text: 'echo: {"a":1}', isError: false });
});

test('a wrong key is told of, without the key', async () => {
  await using far = await startHttpToolServer('open-sesame');
  await using servers = openServers(`{ far: { url: "${far.url}", headers: { x-key: "\${FAR_KEY}" } } }`, {
    FAR_KEY: 'wrong-word',
  });

  await servers.offered();

  expect(servers.status()[0]?.problem).toBe(
    'it refused us (HTTP 401); check headers in the config and the variables they name',
  );
  expect(JSON.stringify(servers.lines)).not.toContain('wrong-word');
});

test('a server that has forgotten us after its restart is greeted again, and the call still gets its result', async () => {
  await using far = await startHttpToolServer('k');
  await using servers = openServers(`{ far: { url: "${far.url}", headers: { x-key: "\${FAR_KEY}" } } }`, {
    FAR_KEY: 'k',
  });
  await servers.run('far_echo');

  far.forget();

  expect(await servers.run('far_echo', { again: true })).toEqual({
    text: 'echo: {"again":true}',
    isError: false,
  });
  expect(far.sessions).toBe(2);
});

test('a server that goes away gives an error result', async () => {
  const far = await startHttpToolServer('k');
  await using servers = openServers(`{ far: { url: "${far.url}", headers: { x-key: "\${FAR_KEY}" } } }`, {
    FAR_KEY: 'k',
  });
  await servers.run('far_echo');

  await far[Symbol.asyncDispose]();

  expect(await servers.run('far_echo')).toEqual({
    text: 'the tool server "far" could not be asked; try again later or go on without it',
    isError: true,
  });
  await vi.waitFor(() => expect(servers.status()[0]?.state).toBe('down'), soon);
});

test('a call that hangs is given up in time', async () => {
  await using far = await startHttpToolServer('k');
  await using servers = openServers(
    `{ far: { url: "${far.url}", timeout_seconds: 1, headers: { x-key: "\${FAR_KEY}" } } }`,
    { FAR_KEY: 'k' },
  );

  expect(await servers.run('far_hang')).toEqual({
    text: 'far_hang gave no result within 1 s',
    isError: true,
  });
});

test('an answer that never ends is cut off before it fills the memory', async () => {
  const block = Buffer.alloc(1_000_000, 'x');
  let cutOff = false;
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    request.socket.on('close', () => (cutOff = true));
    const more = (): void => {
      if (!cutOff) response.write(block, () => void setImmediate(more));
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using servers = openServers(`{ far: { url: "http://127.0.0.1:${port}/mcp" } }`, {});

  await servers.offered();

  expect(servers.status()[0]?.state).toBe('down');
  await vi.waitFor(() => expect(cutOff).toBe(true), soon);
  server.close();
  server.closeAllConnections();
});

test('a page that is no tool server is told of', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await using servers = openServers(`{ far: { url: "http://127.0.0.1:${port}/" } }`, {});

  await servers.offered();

  expect(servers.status()[0]?.problem).toBe('it refused to work with us (code -1)');
  server.close();
  server.closeAllConnections();
});
