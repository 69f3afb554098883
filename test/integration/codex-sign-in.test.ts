import { expect, test } from 'vitest';

import { farFuture, tokenOf } from '../support/codex-home.ts';
import { asMessage, events, inTurn, outline, request, user } from '../support/model-world.ts';
import { openResponses } from '../support/responses-world.ts';
import type { ResponsesWishes } from '../support/responses-world.ts';

const codex = { provider: 'openai-codex', name: 'gpt-5.6-sol' } as const;
/** The tests' clock stands at 2026-11-29T12:00:00Z. */
const now = Date.parse('2026-11-29T12:00:00Z') / 1000;

function renewing(tokens: object = {}): { asked: Record<string, string>[]; renew: ResponsesWishes['renew'] } {
  const asked: Record<string, string>[] = [];
  const body = {
    access_token: tokenOf({ expiresAt: farFuture, serial: 2 }),
    refresh_token: 'refresh-2',
    ...tokens,
  };
  return {
    asked,
    renew: (sent) => {
      asked.push(sent);
      return { status: 200, body };
    },
  };
}

test('a request carries the headers and the body that the service wants', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex });

  await events(world.client, request([user('hi')], { sessionId: 'session-7' }));

  expect(world.server.violations).toEqual([]);
  expect(world.server.requests[0]?.path).toBe('/backend-api/codex/responses');
  expect(world.server.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${tokenOf({ expiresAt: farFuture })}`,
    'chatgpt-account-id': 'account-1',
    originator: 'palimpsest',
    accept: 'text/event-stream',
    'session-id': 'session-7',
    'x-client-request-id': 'session-7',
  });
  expect(world.bodies()[0]).toMatchObject({
    store: false,
    stream: true,
    prompt_cache_key: 'session-7',
    tool_choice: 'auto',
    parallel_tool_calls: true,
  });
  expect(world.bodies()[0]).not.toHaveProperty('max_output_tokens');
});

test('a token that ends within five minutes is renewed first, and the file keeps what we do not know', async () => {
  const { asked, renew } = renewing();
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex, renew });
  world.home.write({ expiresAt: now + 299 });

  expect(outline(await events(world.client, request([user('hi')])))).toEqual(['text', 'done']);

  expect(asked).toEqual([
    { client_id: 'app_EMoamEEZ73f0CkXaXp7hrann', grant_type: 'refresh_token', refresh_token: 'refresh-1' },
  ]);
  expect(world.home.read()).toEqual({
    OPENAI_API_KEY: null,
    tokens: {
      id_token: 'id-token',
      access_token: tokenOf({ expiresAt: farFuture, serial: 2 }),
      refresh_token: 'refresh-2',
      account_id: 'account-1',
    },
    last_refresh: '2026-11-29T12:00:00.000Z',
    agent_identity: { kept: 'as it was' },
  });
});

test('two requests at once renew once', async () => {
  const { asked, renew } = renewing();
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex, renew });
  world.home.write({ expiresAt: now - 10 });

  await Promise.all([1, 2, 3].map(() => events(world.client, request([user('hi')]))));

  expect(asked).toHaveLength(1);
});

test('a refused token is renewed once and the request repeated', async () => {
  const { asked, renew } = renewing();
  await using world = await openResponses(inTurn({ fault: 'auth' }, { text: 'ok' }), { model: codex, renew });

  expect(outline(await events(world.client, request([user('hi')])))).toEqual(['retrying', 'text', 'done']);
  expect(asked).toHaveLength(1);
});

test('a sign-in that cannot be renewed says how to get a new one', async () => {
  const renew = (): { status: number; body: object } => ({
    status: 401,
    body: { error: 'refresh_token_reused' },
  });
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex, renew });
  world.home.write({ expiresAt: now - 10 });

  expect(await events(world.client, request([user('hi')]))).toMatchObject([
    { type: 'failed', failure: { kind: 'auth', message: expect.stringContaining('codex login') as string } },
  ]);
});

test('when another process was faster its tokens are taken', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), {
    model: codex,
    renew: () => {
      world.home.write({
        accessToken: tokenOf({ expiresAt: farFuture, serial: 3 }),
        refreshToken: 'refresh-3',
      });
      return { status: 401, body: { error: 'refresh_token_reused' } };
    },
  });
  world.home.write({ expiresAt: now - 10 });

  await events(world.client, request([user('hi')]));

  expect(world.server.requests[0]?.headers['authorization']).toBe(
    `Bearer ${tokenOf({ expiresAt: farFuture, serial: 3 })}`,
  );
});

test('another account in the file is not used without a restart', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex });
  world.home.write({ accountId: 'account-2' });

  expect(await events(world.client, request([user('hi')]))).toMatchObject([
    { type: 'failed', failure: { kind: 'auth', message: expect.stringContaining('restart') as string } },
  ]);
  expect(world.server.requests).toEqual([]);
});

test('sealed reasoning survives a renewal, since it belongs to the account', async () => {
  const { renew } = renewing();
  await using world = await openResponses(() => ({ thinking: 'hm', text: 'ok' }), { model: codex, renew });
  const answer = asMessage(await events(world.client, request([user('one')])));
  world.home.write({ expiresAt: now - 10 });

  expect(outline(await events(world.reopen(), request([user('one'), answer, user('two')])))).toEqual([
    'sidecar',
    'text',
    'done',
  ]);
  expect(world.server.violations).toEqual([]);
});

test('a used-up subscription says until when and is not tried again', async () => {
  await using world = await openResponses(() => ({ fault: 'insufficient_quota' }), { model: codex });

  expect(await events(world.client, request([user('hi')]))).toMatchObject([
    {
      type: 'failed',
      failure: { kind: 'quota', retryable: false, retryAfterMs: 1_800_000_000_000 - now * 1000 },
    },
  ]);
  expect(world.server.requests).toHaveLength(1);
});

test('without a sign-in the start says what to do', async () => {
  await using world = await openResponses(() => ({ text: 'ok' }), { model: codex });
  world.home[Symbol.dispose]();

  expect(() => world.reopen()).toThrow(
    /model\.provider openai-codex: .*auth\.json cannot be read: sign in with `codex login`/,
  );
});
