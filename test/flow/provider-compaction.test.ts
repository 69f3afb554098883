/** Conversations that the provider condenses on its side, through the whole main path. */
import { createMeter } from '@palimpsest/metrics';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openAppServer } from '../support/app-server-world.ts';
import { openResponses } from '../support/responses-world.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const quiet = (): { text: string } => ({ text: 'never asked' });

/** Say lines one after the other, each after the answer to the one before. */
async function talk(world: TurnWorld, ...lines: string[]): Promise<string[]> {
  for (const line of lines) {
    const before = (await world.heard()).length;
    await world.say(line);
    await world.hear(before + 1);
  }
  return world.heard();
}

async function compressEvents(world: TurnWorld): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ payload: unknown }>(
      "SELECT payload FROM events WHERE type = 'session:compress' ORDER BY id",
    );
    return rows.map(({ payload }) => payload);
  } finally {
    await client.end();
  }
}

test('a thread of the Codex program is condensed there: every row of ours stays, and ledger and event say so', async () => {
  await using codex = openAppServer();
  codex.codex.play({ inputTokens: 250_000 }, { compactsFirst: true, inputTokens: 7_000 }, {}, {});
  await using world = await openTurnWorld({ script: quiet, client: codex.client });

  await talk(world, 'one', 'two', 'three');

  const sessionId = await world.sessionId();
  const rows = await world.rows();
  expect(rows.map(({ kind, state }) => [kind, state])).toEqual(
    ['person', 'assistant', 'person', 'assistant', 'person', 'assistant'].map((kind) => [kind, 'live']),
  );
  expect(await world.store.compactions.ledger({ sessionId, limit: 10 })).toMatchObject([
    {
      engine: 'native',
      layer: 'agent',
      trigger: 'threshold',
      outcome: 'success',
      inPlace: false,
      figures: null,
    },
  ]);
  expect(await compressEvents(world)).toMatchObject([
    {
      inPlace: false,
      oldSessionId: '',
      compactionCount: 1,
      figures: { rowsArchived: 0, tokensAfter: 6_862 },
      provider: {
        runtime: 'codex_app_server',
        items: 0,
        threadId: expect.any(String) as string,
        turnId: expect.any(String) as string,
      },
    },
  ]);
  expect(codex.methods()).not.toContain('thread/compact/start');
});

test('/compress has the thread condensed, waits for the end and says what is left', async () => {
  await using codex = openAppServer();
  codex.codex.play({ inputTokens: 90_000 }, { tokensAfter: 6_900 }, {});
  const meter = createMeter({ strict: true });
  await using world = await openTurnWorld({ script: quiet, client: codex.client, meter });

  const heard = await talk(world, 'one', '/compress', '/compress keep the names', 'two');

  expect(heard[1]).toContain(
    'The model itself holds this conversation and has condensed it to about 6,900 tokens. Every message here stays as it was.',
  );
  expect(heard[2]).toContain('there is no preview and no focus; send /compress alone');
  expect(codex.methods().slice(2)).toEqual([
    'thread/resume',
    'thread/compact/start',
    'thread/resume',
    'turn/start',
  ]);
  const sessionId = await world.sessionId();
  expect(await world.store.compactions.ledger({ sessionId, limit: 10 })).toMatchObject([
    { layer: 'manual', trigger: 'manual', outcome: 'success', inPlace: false },
  ]);
  expect(await world.store.compactions.undoGround(sessionId)).toBeNull();
  const metrics = await meter.text();
  for (const line of [
    'gateway_compaction_attempts_total{layer="manual",trigger="manual",outcome="success",reason="none"} 1',
    'gateway_compaction_duration_seconds_count{layer="manual",outcome="success"} 1',
    'gateway_compaction_tokens_before_count{layer="manual"} 1',
    'gateway_compaction_tokens_after_count{layer="manual"} 1',
  ])
    expect(metrics).toContain(line);
});

test('/compress before the first answer has nothing to condense', async () => {
  await using codex = openAppServer();
  await using world = await openTurnWorld({ script: quiet, client: codex.client });

  expect((await talk(world, '/compress'))[0]).toContain('has nothing to condense yet');
});

test('a service that condenses on its side keeps a long conversation below our own trigger', async () => {
  // Trigger 75 % of 60,000, the service 8,192 below it; each line is 6,000 tokens of the fake server.
  await using service = await openResponses(() => ({ text: 'Noted.' }), {
    model: { context_length: 60_000 },
    compression: { codex_responses_native: true },
  });
  await using world = await openTurnWorld({
    script: quiet,
    client: service.client,
    config: 'compression: {background: false}',
  });
  const line = 'twelve letters '.repeat(2_000);

  await talk(world, ...Array.from({ length: 12 }, (_, at) => `Line ${at}. ${line}`));

  const sessionId = await world.sessionId();
  const rows = await world.rows();
  expect(rows.filter(({ state }) => state === 'live')).toHaveLength(24);
  expect(rows.some(({ kind }) => kind === 'summary')).toBe(false);
  const ledger = await world.store.compactions.ledger({ sessionId, limit: 10 });
  expect(ledger.map(({ outcome, inPlace }) => [outcome, inPlace])).toEqual(
    ledger.map(() => ['success', false]),
  );
  expect(ledger.length).toBeGreaterThan(0);
  expect(Math.max(...service.server.usage.map(({ promptTokens }) => promptTokens))).toBeLessThan(45_000);
  expect(service.server.violations).toEqual([]);
  expect((await compressEvents(world))[0]).toMatchObject({
    provider: { runtime: 'responses', items: 1 },
    inPlace: false,
  });
});
