/** Operators are told of the lossless engine's next small pass: how much is missing, and why it waits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { ask } from '../support/dashboard.ts';
import { startWorldPages } from '../support/session-pages.ts';
import { answering, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const context = {
  engine: 'lcm',
  lcm: {
    fresh_tail_count: 4,
    leaf_chunk_tokens: 1_500,
    cache_aware_compaction: { cache_ttl_seconds: 600 },
  },
};

afterEach(() => vi.restoreAllMocks());

/** What the command line says of the world's session. */
async function said(world: TurnWorld, command: 'show' | 'explain'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-early-'));
  const model = { provider: 'anthropic', name: 'claude-sonnet-5', context_length: 64_000 };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ model, context }));
  const env = { DATABASE_URL: world.databaseUrl, ANTHROPIC_API_KEY: 'test' };
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text))));
  try {
    expect(await runCommandLine({ env, folder }, ['session', command, await world.sessionId()])).toBe(null);
  } finally {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  }
  return out;
}

async function earlyWork(world: TurnWorld): Promise<unknown> {
  await using pages = await startWorldPages(world);
  const answer = await ask(`${pages.url}/api/sessions/${await world.sessionId()}/context`);
  return (answer.json()['context'] as { earlyWork: unknown }).earlyWork;
}

/** Tokens of all messages but the newest four. */
async function outsideTail(world: TurnWorld): Promise<number> {
  return (await world.rows()).slice(0, -4).reduce((sum, row) => sum + row.tokens, 0);
}

test('first it tells how much is missing, then that a warm cache holds the pass back, as the debt in the database does', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 64_000,
    config: JSON.stringify({ context }),
  });
  await talk(world, 3);
  const tokens = await outsideTail(world);
  const missing = (1_500 - tokens).toLocaleString('en');

  expect(await earlyWork(world)).toEqual({ messages: 2, tokens, neededTokens: 1_500, state: 'gathering' });
  const line = `\nsmall pass  when ${missing} more tokens lie outside the fresh tail; now ${tokens} tokens in 2 messages, of 1,500\n`;
  expect(await said(world, 'show')).toContain(line);
  expect(await said(world, 'explain')).toContain(line);
  expect((await world.store.lcm.load(await world.sessionId())).debt).toBeNull();

  await talk(world, 3);
  const enough = await outsideTail(world);

  expect(await earlyWork(world)).toEqual({
    messages: 8,
    tokens: enough,
    neededTokens: 1_500,
    state: 'held',
  });
  expect(await said(world, 'show')).toContain(
    `\nsmall pass  over ${enough.toLocaleString('en')} tokens in 8 messages, held back while the prompt cache is warm\n`,
  );
  const { debt } = await world.store.lcm.load(await world.sessionId());
  expect(debt).toMatchObject({ pending: true, reason: 'hot-cache-budget-headroom' });
}, 90_000);
