/**
 * The fake Codex program says what the real one says. The expected lines were written down from `codex app-server`
 * 0.171.0; test/integration/codex-real.test.ts compares the two anew.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { writeFakeCodex } from '@palimpsest/testkit';
import type { FakeCodex } from '@palimpsest/testkit';
import { afterAll, expect, test } from 'vitest';

import { startRaw, walk } from '../support/raw-app-server.ts';
import type { RawAppServer } from '../support/raw-app-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-fake-app-server-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function start(): { codex: FakeCodex; server: RawAppServer } {
  const codex = writeFakeCodex(join(folder, String(count++)));
  return { codex, server: startRaw(codex.command, {}, folder) };
}

const turn = [
  '← turn/start ok',
  'thread/status/changed active',
  'turn/started inProgress',
  'item/started userMessage',
  'item/completed userMessage',
  'item/started agentMessage',
  'item/agentMessage/delta',
  'item/completed agentMessage',
  'thread/tokenUsage/updated counted',
  'thread/status/changed idle',
  'turn/completed completed',
];

test('handshake, turns, compaction and refusals are those of the real program', async () => {
  const { server } = start();
  await using closed = server;

  expect(await walk(closed)).toEqual([
    '← thread/start -32600 Not initialized',
    '← initialize ok',
    '← initialize -32600 Already initialized',
    '← thread/start ok',
    ...turn,
    ...turn,
    '← thread/compact/start ok',
    'thread/status/changed active',
    'turn/started inProgress',
    'item/started contextCompaction',
    'thread/tokenUsage/updated counted',
    'thread/tokenUsage/updated counted',
    'thread/tokenUsage/updated estimate',
    'item/completed contextCompaction',
    'thread/status/changed idle',
    'turn/completed completed',
    ...turn,
    '← turn/interrupt -32600 no active turn to interrupt',
    '← thread/compact/start -32600 invalid thread id: invalid character: ex',
    '← thread/compact/start -32600 thread not found: ID',
    '← thread/resume -32600 no rollout found for thread id ID',
    '← nothing/known -32600 Invalid request: unknown variant `nothin',
  ]);
});

test.each([
  ['thread/start', { colour: 'red' }, /unknown field `colour`/],
  ['thread/start', { approvalPolicy: 'always' }, /unknown variant `always`/],
  ['turn/start', { input: [{ type: 'text', text: 'x' }] }, /missing field `threadId`/],
  ['initialize', { clientInfo: { name: 'x' } }, /Already initialized|missing field `version`/],
])('%s with %j is refused', async (method, params, words) => {
  const { server } = start();
  await using open = server;
  await open.request('initialize', { clientInfo: { name: 'test', version: '1' } });

  const { error } = (await open.request(method, params)) as { error?: { message: string } };

  expect(error?.message).toMatch(words);
});

test('a thread has one writer until it is let go, and then needs a moment', async () => {
  const { codex, server } = start();
  await using first = server;
  await using second = startRaw(codex.command, {}, folder);
  const client = { clientInfo: { name: 'test', version: '1' } };
  for (const one of [first, second]) await one.request('initialize', client);
  const config = { thread_unload_delay_secs: 0 };
  const { result } = (await first.request('thread/start', { config })) as {
    result: { thread: { id: string } };
  };
  const threadId = result.thread.id;
  const refusal = async (one: RawAppServer): Promise<string | undefined> => {
    const { error } = (await one.request('thread/resume', { threadId, config })) as {
      error?: { message: string };
    };
    return error?.message.replace(threadId, 'ID');
  };

  expect(await refusal(second)).toBe('thread ID already has an active writer');
  await first.request('thread/unsubscribe', { threadId });
  expect(await refusal(first)).toBe('thread ID is closing; retry thread/resume after the thread is closed');
  expect(await refusal(second)).toBeUndefined();
});
