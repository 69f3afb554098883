/** Tool servers on standard streams: real child processes, killed and hung on purpose. */
import { expect, test, vi } from 'vitest';
import { openServers, stdioServerYaml } from '../support/mcp/tool-servers.ts';

/** A wait for something that comes by itself, such as a restart a second later. */
const soon = { timeout: 15_000, interval: 50 };

test('tools of a server are named after it, in the order of their names', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);

  const offered = await servers.offered();

  expect(offered.map((tool) => tool.schema.name)).toContain('odd_echo');
  expect(offered.map((tool) => tool.schema.name)).toEqual(offered.map((tool) => tool.schema.name).toSorted());
  expect(offered.find((tool) => tool.name === 'echo')).toEqual({
    server: 'odd',
    name: 'echo',
    schema: {
      name: 'odd_echo',
      description: 'Says what it was told.',
      parameters: { type: 'object', properties: {} },
    },
    repeatable: false,
  });
});

test('a call brings its result back, and failures are results', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);

  expect(await servers.run('odd_echo', { a: [1, 'two'] })).toEqual({
    text: 'echo: {"a":[1,"two"]}',
    isError: false,
  });
  expect(await servers.run('odd_fail')).toEqual({ text: 'it did not work', isError: true });
  expect(await servers.run('odd_refuse')).toEqual({
    text: 'MCP error -32603: no such thing here',
    isError: true,
  });
});

test('a program gets the variables its config names and none of our keys', async () => {
  const ours = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'sk-ours', FILES_TOKEN: 'for-the-server' };
  await using servers = openServers(
    `{ odd: ${stdioServerYaml('env: { TOKEN: "t-${FILES_TOKEN}" }')} }`,
    ours,
  );

  expect((await servers.run('odd_variable', { name: 'TOKEN' })).text).toBe('t-for-the-server');
  expect((await servers.run('odd_variable', { name: 'ANTHROPIC_API_KEY' })).text).toBe('not set');
  expect((await servers.run('odd_variable', { name: 'FILES_TOKEN' })).text).toBe('not set');
});

test('a server whose variable is not set is not started, and says which one is missing', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml('env: { TOKEN: "${FILES_TOKEN}" }')} }`, {});

  expect(await servers.offered()).toEqual([]);
  expect(servers.status()).toEqual([
    { name: 'odd', state: 'down', problem: 'FILES_TOKEN is not set; put it into .env', tools: [] },
  ]);
});

test('a server that dies in a call gives an error result, is started again and keeps its tools meanwhile', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);
  const before = (await servers.run('odd_pid')).text;

  const died = await servers.run('odd_die');
  await vi.waitFor(() => expect(servers.status()[0]?.state).toBe('down'), soon);
  const meanwhile = await servers.run('odd_echo');
  const namesMeanwhile = await servers.names();
  await vi.waitFor(() => expect(servers.status()[0]?.state).toBe('ready'), soon);

  expect(died).toEqual({
    text: 'the tool server "odd" ended while odd_die ran; it is started again',
    isError: true,
  });
  expect(meanwhile).toEqual({
    text: 'the tool server "odd" is not available now; it is tried again by itself. Go on without it, or try later.',
    isError: true,
  });
  expect(namesMeanwhile).toContain('odd_echo');
  expect((await servers.run('odd_pid')).text).not.toBe(before);
});

test('a call that takes too long is given up, and the server goes on serving', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml('timeout_seconds: 1')} }`);
  const before = (await servers.run('odd_pid')).text;

  expect(await servers.run('odd_hang')).toEqual({
    text: 'odd_hang gave no result within 1 s',
    isError: true,
  });
  expect((await servers.run('odd_pid')).text).toBe(before);
});

test('a call that is stopped from outside ends at once, and the server goes on serving', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);
  const before = (await servers.run('odd_pid')).text;
  const stop = new AbortController();

  const hanging = servers.run('odd_hang', {}, stop.signal);
  stop.abort('stop');

  expect(await hanging).toEqual({ text: 'odd_hang was stopped before it gave a result', isError: true });
  expect((await servers.run('odd_pid')).text).toBe(before);
});

test('a program that hangs altogether is killed and started again', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml('timeout_seconds: 1')} }`);
  const before = (await servers.run('odd_pid')).text;

  await servers.run('odd_freeze');
  await vi.waitFor(async () => expect((await servers.run('odd_pid')).text).toMatch(/^\d+$/), {
    timeout: 20_000,
    interval: 200,
  });

  expect((await servers.run('odd_pid')).text).not.toBe(before);
  expect(isAlive(Number(before))).toBe(false);
});

test('rubbish between messages is passed over', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);

  expect((await servers.run('odd_garble')).text).toBe('after the rubbish');
});

test.each(['odd_flood', 'odd_endless'])('a server is cut off that sends without end (%s)', async (name) => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);
  const before = (await servers.run('odd_pid')).text;

  const result = await servers.run(name);

  expect(result.isError).toBe(true);
  await vi.waitFor(() => expect(isAlive(Number(before))).toBe(false), soon);
  await vi.waitFor(() => expect(servers.status()[0]?.state).toBe('ready'), soon);
});

test.each([
  ['never', 1, 'it gave no answer in time'],
  ['rubbish', 20, 'it ended before it answered'],
])('a server that starts badly (%s) is told of and holds nobody up', async (start, limit, problem) => {
  await using servers = openServers(
    `{ odd: ${stdioServerYaml(`start_timeout_seconds: ${limit}`, start)}, good: ${stdioServerYaml()} }`,
  );

  const names = await servers.names();

  expect(names.filter((name) => name.startsWith('odd'))).toEqual([]);
  expect(names).toContain('good_echo');
  expect(servers.status().find(({ name }) => name === 'odd')?.problem).toBe(problem);
});

test('a program that is not there is told of in words', async () => {
  await using servers = openServers('{ odd: { command: /nowhere/at-all } }');
  await servers.offered();

  expect(servers.status()[0]?.problem).toBe(
    'the program or its folder was not found (ENOENT); check command and cwd',
  );
});

test('pictures and files of a result are kept as payloads, and the text says what they are', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);

  const result = await servers.run('odd_picture');

  expect(result.text.split('\n')).toEqual([
    'Here it is:',
    '[image, image/png, 15 bytes, kept as payload 404976e991587354; it is no text]',
    '[file file:///notes.txt, text/plain, 25 characters: call read_payload with id "c10be3af2f72d6f4"]',
    '[link to handbook: https://example.org/handbook]',
  ]);
  expect(result.payloads?.map(({ mime, encoding }) => [mime, encoding])).toEqual([
    ['image/png', 'base64'],
    ['text/plain', undefined],
  ]);
  // The server made the picture for the person, too.
  expect(result.files).toEqual([
    { payloadId: result.payloads?.[0]?.id, name: 'image.png', mime: 'image/png', caption: '' },
  ]);
});

test('the rest of a result over the limit is cut off, and that is said', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml('max_result_characters: 1000')} }`);

  const { text } = await servers.run('odd_long', { tens: 500 });

  expect(text).toBe(
    `${'0123456789'.repeat(100)}\n[… 4000 more characters were cut off; ask for less at once …]`,
  );
});

test('a tool that a server adds is offered from then on', async () => {
  await using servers = openServers(`{ odd: ${stdioServerYaml()} }`);

  expect(await servers.names()).not.toContain('odd_grown');
  await servers.run('odd_grow');

  await vi.waitFor(async () => expect(await servers.names()).toContain('odd_grown'), soon);
});

test('no argument, result or secret reaches the log', async () => {
  const variables = { PATH: process.env['PATH'], FILES_TOKEN: 'hush-hush' };
  await using servers = openServers(
    `{ odd: ${stdioServerYaml('env: { TOKEN: "${FILES_TOKEN}" }')} }`,
    variables,
  );
  await servers.run('odd_echo', { text: 'a private word' });
  await servers.run('odd_variable', { name: 'TOKEN' });
  await servers.run('odd_die');
  await vi.waitFor(() => expect(servers.status()[0]?.state).toBe('down'), soon);

  const log = JSON.stringify(servers.lines);

  expect(servers.lines.length).toBeGreaterThan(1);
  expect(log).not.toMatch(/private word|hush-hush|echo:/);
});

test('closing ends the program, also one that hangs', async () => {
  const servers = openServers(`{ odd: ${stdioServerYaml('timeout_seconds: 1')} }`);
  const pid = Number((await servers.run('odd_pid')).text);
  const hanging = servers.run('odd_freeze');

  await servers.close();

  expect((await hanging).isError).toBe(true);
  expect(isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
