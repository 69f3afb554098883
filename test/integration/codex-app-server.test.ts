import type { ModelEvent } from '@palimpsest/core';
import { expect, test } from 'vitest';

import { openAppServer } from '../support/app-server-world.ts';
import type { AppServerWorld } from '../support/app-server-world.ts';
import { events, hurried, outline, request, saidIn, user } from '../support/model-world.ts';

const last = (seen: readonly ModelEvent[]): ModelEvent | undefined => seen.at(-1);
const paramsOf = (world: AppServerWorld, method: string): Record<string, unknown>[] =>
  world.codex.heard().flatMap((message) => (message.method === method ? [message.params ?? {}] : []));
const inputOf = (world: AppServerWorld, at: number): unknown =>
  (paramsOf(world, 'turn/start')[at]?.['input'] as { text: string }[] | undefined)?.[0]?.text;

test('a conversation is one thread, and each turn carries only what is new', async () => {
  await using world = openAppServer();
  world.codex.play({ texts: ['Looking at it.', 'You said: $input'] }, {}, {});

  const first = await world.ask('one', { system: ['You are kind.', 'A note.'] });
  await world.ask('two');
  await world.ask('three');

  expect(outline(first)).toEqual(['text', 'sidecar', 'done']);
  expect(world.messages[1]?.parts.filter(({ type }) => type === 'text')).toHaveLength(1);
  expect(saidIn(first)).toBe('Looking at it.You said: one');
  const again = ['thread/resume', 'turn/start'];
  expect(world.methods()).toEqual(['thread/start', 'turn/start', ...again, ...again]);
  expect([0, 1, 2].map((at) => inputOf(world, at))).toEqual(['one', 'two', 'three']);
});

test('a thread has our system prompt and nothing of the machine', async () => {
  await using world = openAppServer();

  await world.ask('one', { system: ['You are kind.', 'A note.'] });

  expect(paramsOf(world, 'thread/start')).toMatchObject([
    {
      model: 'gpt-5.5',
      approvalPolicy: 'never',
      sandbox: 'read-only',
      baseInstructions: 'You are kind.\n\nA note.',
      config: {
        web_search: 'disabled',
        'features.shell_tool': false,
        'skills.include_instructions': false,
        notify: [],
        mcp_servers: { homemade: { enabled: false } },
      },
      ephemeral: false,
    },
  ]);
});

test('the program sees nothing of our environment but where it is and its own folder', async () => {
  await using world = openAppServer();

  await world.ask('one');

  expect(world.codex.variables()).toEqual(['CODEX_HOME', 'HOME', 'PATH']);
});

test('context is what the thread has in use, whatever the turn has cost', async () => {
  await using world = openAppServer();
  world.codex.play({ inputTokens: 900, outputTokens: 30 }, { inputTokens: 1_200, outputTokens: 50 });
  await world.ask('one');

  expect(last(await world.ask('two'))).toMatchObject({
    type: 'done',
    usage: {
      promptTokens: 1_200,
      outputTokens: 50,
      cacheReadTokens: 100,
      reasoningTokens: 5,
      contextTokens: 1_200,
    },
  });
});

test('a compaction of the server’s own inside a turn is told once, with what is left', async () => {
  await using world = openAppServer();
  world.codex.play({ inputTokens: 250_000 }, { compactsFirst: true, inputTokens: 7_000 });
  await world.ask('one');

  const seen = await world.ask('two');

  expect(outline(seen)).toEqual(['compaction', 'text', 'sidecar', 'done']);
  expect(seen[0]).toMatchObject({ items: 0, tokensAfter: 6_862, threadId: expect.any(String) as string });
  expect(last(seen)).toMatchObject({ usage: { promptTokens: 10_000, contextTokens: 7_000 } });
});

test('after a restart the thread is loaded again', async () => {
  await using world = openAppServer();
  await world.ask('one');
  world.client = world.reopen();

  await world.ask('two');

  expect(world.methods()).toEqual(['thread/start', 'turn/start', 'thread/resume', 'turn/start']);
  expect(inputOf(world, 1)).toBe('two');
});

test('a program that ends in the middle fails the turn, and the next one begins anew with the whole conversation', async () => {
  await using world = openAppServer();
  world.codex.play({}, { texts: ['half of it and more'], exits: 3 }, {});
  await world.ask('one');

  expect(outline(await world.ask('two'))).toEqual(['text', 'failed stream_cut']);
  const next = await world.ask('three');

  expect(outline(next)).toEqual(['text', 'sidecar', 'done']);
  expect(world.methods().slice(-2)).toEqual(['thread/start', 'turn/start']);
  expect(inputOf(world, 2)).toBe(
    'The conversation before this message:\n<conversation>\nPerson: one\nYou: ok\n</conversation>\n\ntwo\n\nthree',
  );
});

test('a turn that was taken back is not in the thread that goes on', async () => {
  await using world = openAppServer();
  await world.ask('one');
  await world.ask('a slip');
  world.messages.splice(2);

  await world.ask('two');

  expect(world.methods().slice(-2)).toEqual(['thread/start', 'turn/start']);
  expect(inputOf(world, 2)).toMatch(/Person: one\nYou: ok\n<\/conversation>\n\ntwo$/);
});

test('after each turn the thread is free for another process of ours, and back again', async () => {
  await using world = openAppServer();
  const here = world.client;
  await world.ask('one');
  world.client = world.reopen();
  await world.ask('two');
  world.client = here;

  await world.ask('three');

  const again = ['thread/resume', 'turn/start'];
  expect(world.methods()).toEqual(['thread/start', 'turn/start', ...again, ...again]);
  expect([0, 1, 2].map((at) => inputOf(world, at))).toEqual(['one', 'two', 'three']);
});

test('what another model answered meanwhile is told to the thread', async () => {
  await using world = openAppServer();
  await world.ask('one');
  world.messages.push(user('two'), { role: 'assistant', parts: [{ type: 'text', text: 'from elsewhere' }] });

  await world.ask('three');

  expect(inputOf(world, 1)).toMatch(
    /<conversation>\nPerson: two\nYou: from elsewhere\n<\/conversation>\n\nthree$/,
  );
});

test.each([
  ['item/commandExecution/requestApproval', { decision: 'decline' }],
  ['item/fileChange/requestApproval', { decision: 'decline' }],
  ['item/permissions/requestApproval', { permissions: {}, scope: 'turn' }],
  ['item/tool/requestUserInput', { answers: {} }],
  ['mcpServer/elicitation/request', { action: 'decline' }],
  ['execCommandApproval', { decision: 'denied' }],
])('%s is declined, though its id is one of ours', async (asks, result) => {
  await using world = openAppServer();
  world.codex.play({ asks });

  expect(outline(await world.ask('one'))).toEqual(['text', 'sidecar', 'done']);
  expect(world.codex.heard().find((message) => 'result' in message)).toEqual({ id: 0, result });
});

test('a request that nobody knows is answered with an error, so that the turn goes on', async () => {
  await using world = openAppServer();
  world.codex.play({ asks: 'attestation/generate' });

  expect(outline(await world.ask('one'))).toEqual(['text', 'sidecar', 'done']);
});

test.each([
  ['contextWindowExceeded', 'overflow'],
  ['usageLimitExceeded', 'quota'],
  ['unauthorized', 'auth'],
  ['modelNotFound', 'model_not_found'],
  ['badRequest', 'bad_request'],
])('a turn that fails with %s is a failure of kind %s', async (fails, kind) => {
  await using world = openAppServer();
  world.codex.play({ fails });

  expect(outline(await world.ask('one'))).toEqual([`failed ${kind}`]);
});

test('an error that the server gets over by itself is told', async () => {
  await using world = openAppServer();
  world.codex.play({ retries: 'serverOverloaded' });

  const seen = await world.ask('one');

  expect(outline(seen)).toEqual(['retrying', 'text', 'sidecar', 'done']);
  expect(seen[0]).toMatchObject({ attempt: 1, failure: { kind: 'overloaded' } });
});

test('a turn that failed before its first word is tried again in a new thread', async () => {
  await using world = openAppServer({ clock: hurried, idleMs: 60_000 });
  world.codex.play({ fails: { responseStreamDisconnected: { httpStatusCode: 502 } } }, {});

  const seen = await world.ask('one');

  expect(outline(seen)).toEqual(['retrying', 'text', 'sidecar', 'done']);
  expect(seen[0]).toMatchObject({ failure: { kind: 'stream_cut', status: 502 } });
  expect(world.methods()).toEqual(['thread/start', 'turn/start', 'thread/start', 'turn/start']);
});

test('lines in pieces, noise between them, late answers and whole messages change nothing', async () => {
  await using world = openAppServer();
  world.codex.play(
    { noise: true, splitBytes: 5, texts: ['Grüße 🎉'] },
    { answersLate: true, withoutDeltas: true, texts: ['whole'] },
    { texts: ['x'.repeat(2_000_000)], withoutDeltas: true },
  );

  const said = [
    saidIn(await world.ask('a')),
    saidIn(await world.ask('b')),
    saidIn(await world.ask('c')).length,
  ];

  expect(said).toEqual(['Grüße 🎉', 'whole', 2_000_000]);
});

test('an abort interrupts the turn', async () => {
  await using world = openAppServer();
  world.codex.play({ texts: ['a longer answer'], hangs: true });
  const stop = new AbortController();
  const seen: ModelEvent[] = [];

  for await (const event of world.client.stream(request([user('one')]), stop.signal)) {
    seen.push(event);
    stop.abort();
  }

  expect(outline(seen)).toEqual(['text', 'failed aborted']);
  expect(world.methods()).toEqual(['thread/start', 'turn/start', 'turn/interrupt']);
});

test('silence ends the turn as a timeout', async () => {
  await using world = openAppServer({ idleMs: 300 });
  world.codex.play({ texts: ['a longer answer'], hangs: true });

  expect(outline(await world.ask('one'))).toEqual(['text', 'failed timeout']);
  expect(world.methods()).toContain('turn/interrupt');
});

test('a summary is written in a thread that leaves nothing behind', async () => {
  await using world = openAppServer();
  await world.ask('one');

  const seen = await events(world.client, request([user('sum up')], { purpose: 'summary' }));

  expect(outline(seen)).toEqual(['text', 'done']);
  expect(paramsOf(world, 'thread/start')[1]).toMatchObject({ ephemeral: true });
});

test('a program that is not there says what to do', async () => {
  await using world = openAppServer();
  const client = world.reopen({ model: { codex_command: '/nowhere/codex' } });

  expect(await events(client, request([user('one')]))).toMatchObject([
    {
      type: 'failed',
      failure: {
        retryable: false,
        message: expect.stringMatching(
          /\/nowhere\/codex cannot be started \(ENOENT\): install the Codex program or set model\.codex_command/,
        ) as string,
      },
    },
  ]);
});
