/** The figures that one process of all reports, from a real database. */
import { expect, test } from 'vitest';
import { openStoreWorld } from '../support/store-world.ts';

test('what waits is told by platform, with the age of the oldest, and what was given up by kind', async () => {
  await using world = await openStoreWorld();
  const session = await world.newSession();
  const dead = await world.addReply(session, 'a');
  await world.addReply(session, 'b');
  await world.outbox.fail(dead, 'dead', 'refused');
  await world.query(`UPDATE outbox SET created_at = now() - interval '70 s'`, []);
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state, accepted_at)
     VALUES ($1, 1, $2, 'message', '{}', 'pending', now() - interval '90 s'), ($1, 2, $2, 'message', '{}', 'dead', now())`,
    [session.sessionId, session.chat.chatRowId],
  );
  await world.query(
    `INSERT INTO lcm_breaker (provider, model, failures, open_until) VALUES ('anthropic', 'haiku', 3, now() + interval '1 minute')`,
    [],
  );

  const figures = await world.operators.gauges();

  const { platform } = session.chat.account;
  const mailbox = figures.mailbox.find((one) => one.platform === platform);
  const delivery = figures.delivery.find((one) => one.platform === platform);
  expect([mailbox?.pending, Math.floor((mailbox?.oldestSeconds ?? 0) / 10)]).toEqual([1, 9]);
  expect([delivery?.pending, Math.floor((delivery?.oldestSeconds ?? 0) / 10)]).toEqual([1, 7]);
  expect(figures.mailbox).toHaveLength(3);
  expect(figures.dead).toEqual({ mailbox: 1, outbox: 1, hook: 0 });
  expect(figures.lcmBreakers).toEqual([{ provider: 'anthropic', model: 'haiku', isOpen: true }]);
});

test('sessions that rest and sessions over a threshold are counted', async () => {
  await using world = await openStoreWorld();
  const [resting, full] = [await world.newSession(), await world.newSession()];
  await world.query(`UPDATE sessions SET probe_at = now() + interval '1 minute' WHERE id = $1`, [
    resting.sessionId,
  ]);
  await world.query(`UPDATE sessions SET last_prompt_tokens = 90000 WHERE id = $1`, [full.sessionId]);
  await world.query(
    `INSERT INTO compactions (session_id, epoch_before, engine, layer, trigger, outcome, reason, window_tokens, window_source,
       threshold_raw, trigger_tokens, main_model) VALUES ($1, 1, 'compressor', 'agent', 'threshold', 'skipped', 'cooldown', 100000, 'table', 0.5, 50000, 'm')`,
    [full.sessionId],
  );

  const figures = await world.operators.gauges();

  expect(figures.resting).toEqual({ agent: 1, hygiene: 0, background: 0 });
  expect(figures.overThreshold).toEqual({ agent: 1, hygiene: 1 });
  expect(figures.sessions).toBe(2);
});

test('between two compactions lie so many turns, calls and prompt tokens', async () => {
  await using world = await openStoreWorld();
  const { sessionId } = await world.newSession();
  const figures = JSON.stringify({ tokensBefore: 10_000, tokensAfter: 4_000 });
  const ledger = `INSERT INTO compactions (session_id, epoch_before, engine, layer, trigger, outcome, window_tokens, window_source,
      threshold_raw, trigger_tokens, main_model, started_at, figures)
    VALUES ($1, 1, 'compressor', 'agent', 'threshold', 'success', 1, 'table', 0.5, 1, 'm', $2, $3) RETURNING id`;
  const [first] = await world.query<{ id: string }>(ledger, [sessionId, '2026-01-01T00:00:00Z', figures]);
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, state, model_calls, prompt_tokens, started_at)
     VALUES ($1, 'before', 1, 1, 1, 1, 'answered', 5, 5000, '2025-12-31T00:00:00Z'),
            ($1, 'a', 1, 2, 2, 1, 'answered', 1, 4500, '2026-01-01T00:01:00Z'), ($1, 'b', 1, 3, 3, 1, 'answered', 2, 9500, '2026-01-01T00:02:00Z')`,
    [sessionId],
  );
  const [second] = await world.query<{ id: string }>(ledger, [sessionId, '2026-01-01T00:05:00Z', figures]);

  expect(await world.compactions.sinceFormer(sessionId, Number(first!.id))).toBeNull();
  expect(await world.compactions.sinceFormer(sessionId, Number(second!.id))).toEqual({
    seconds: 300,
    turns: 2,
    calls: 3,
    promptTokens: 14_000,
    savedTokens: 6_000,
  });
});
