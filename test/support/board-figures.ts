/** A service with a past, for its boards: attempts of every kind, turns, troubled replies, rests. */
import type { StoreWorld, TestSession } from './store-world.ts';

export interface Attempt {
  minutesAgo: number;
  outcome: string;
  reason?: string;
  before?: number;
  after?: number;
  layer?: string;
  trigger?: string;
  tookMs?: number;
}

/** One row of the ledger that has ended; without `before` it changed nothing. */
export async function attempt(world: StoreWorld, session: TestSession, wish: Attempt): Promise<void> {
  const {
    minutesAgo,
    outcome,
    reason = 'none',
    before,
    after,
    layer = 'agent',
    trigger = 'threshold',
  } = wish;
  const figures =
    before === undefined
      ? null
      : {
          tokensBefore: before,
          tokensAfter: after,
          rowsArchived: 40,
          rowsBefore: 60,
          rowsAfter: 21,
          summaryTokens: 100,
          summaryInputTokens: 900,
          summaryOutputTokens: 100,
        };
  await world.query(
    `INSERT INTO compactions (session_id, epoch_before, engine, layer, trigger, outcome, reason, window_tokens, window_source,
       threshold_raw, trigger_tokens, main_model, summary_model, started_at, finished_at, duration_ms, figures)
     VALUES ($1, 1, 'compressor', $6, $7, $2, $3, 10000, 'table', 0.75, 7500, 'main', 'small',
       now() - $4 * interval '1 min', now() - $4 * interval '1 min', $8, $5)`,
    [session.sessionId, outcome, reason, minutesAgo, figures, layer, trigger, wish.tookMs ?? 400],
  );
}

export interface Ran {
  id: string;
  minutesAgo: number;
  calls: number;
  state?: string;
  /** Of 1,000 tokens a prompt. */
  cached?: number;
}

export async function turn(world: StoreWorld, session: TestSession, wish: Ran): Promise<void> {
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, state, model_calls, prompt_tokens,
       cache_read_tokens, started_at) VALUES ($1, $2, $3, 1, 1, 1, $4, $5, 1000, $7, now() - $6 * interval '1 min')`,
    [
      session.sessionId,
      wish.id,
      session.chat.chatRowId,
      wish.state ?? 'answered',
      wish.calls,
      wish.minutesAgo,
      wish.cached ?? 600,
    ],
  );
}

/** A reply whose second half nobody knows of, as `state`; its id. */
export async function troubledReply(
  world: StoreWorld,
  session: TestSession,
  wish: { state: 'unknown' | 'dead' | 'failed'; problem?: string },
): Promise<number> {
  const id = await world.addReply(session, 'The ferry leaves at noon. It comes back at six.');
  await world.query(
    `UPDATE outbox SET state = $2, attempts = 9, problem = $3, finished_at = now() WHERE id = $1`,
    [id, wish.state, wish.problem ?? null],
  );
  await world.query(
    `INSERT INTO outbox_parts (session_id, reply_id, position, text, nonce, state, platform_message_id, attempts) VALUES
       ($1, $2::bigint, 0, 'The ferry leaves at noon.', 'a' || $2::bigint, 'sent', '881', 1),
       ($1, $2::bigint, 1, 'It comes back at six.', 'b' || $2::bigint, 'unknown', NULL, 9)`,
    [session.sessionId, id],
  );
  return id;
}

/** A day in which things went well and less well. */
export async function fillDay(world: StoreWorld, session: TestSession): Promise<void> {
  for (let hour = 23; hour >= 0; hour--) {
    const minutesAgo = hour * 60 + 20;
    await turn(world, session, { id: `h${hour}`, minutesAgo, calls: 4, cached: 300 + ((hour * 97) % 600) });
    if (hour % 3 === 0)
      await attempt(world, session, {
        minutesAgo: minutesAgo - 5,
        outcome: 'success',
        before: 7_000 + hour * 40,
        after: 2_600 + hour * 25,
      });
  }
  await attempt(world, session, {
    minutesAgo: 95,
    outcome: 'deterministic',
    before: 8_100,
    after: 3_900,
    layer: 'hygiene',
    trigger: 'hygiene',
    tookMs: 10_050,
  });
  await attempt(world, session, {
    minutesAgo: 100,
    outcome: 'failed',
    reason: 'summary_timeout',
    tookMs: 60_000,
  });
  await attempt(world, session, { minutesAgo: 99, outcome: 'skipped', reason: 'cooldown', tookMs: 1 });
  await attempt(world, session, { minutesAgo: 98, outcome: 'skipped', reason: 'cooldown', tookMs: 1 });
  for (let minute = 29; minute >= 0; minute--)
    await world.query(
      `INSERT INTO inbox (platform, account, update_key, status, received_at)
       SELECT 'telegram', '77', gen_random_uuid()::text, 'stored', now() - $1 * interval '1 min' FROM generate_series(1, $2)`,
      [minute, 20 + ((minute * 37) % 55)],
    );
  for (let minute = 28; minute >= 0; minute -= 2)
    await turn(world, session, {
      id: `m${minute}`,
      minutesAgo: minute,
      calls: 1,
      state: minute === 10 ? 'failed' : 'answered',
    });
}
