/** A service whose figures can be worked out on paper. */
import { attempt, troubledReply, turn } from './board-figures.ts';
import type { StoreWorld, TestSession } from './store-world.ts';

/**
 * Attempts (a = agent by its threshold), with the model calls of the turns behind them, all of 1,000 tokens a prompt:
 *
 *   busy      a 100,000 → 20,000 · 4 calls · a 90,000 → 30,000 · 6 + 2 calls    and two declined, one failed
 *   early     hygiene 50,000 → 25,000, by itself · 4 calls
 *   pressed   manual 40,000 → 39,000, no call since
 *   last week a 10,000 → 5,000, three days ago, no call since
 */
export async function knownAttempts(world: StoreWorld) {
  const session = async (title: string): Promise<TestSession> => {
    const made = await world.newSession();
    await world.query('UPDATE sessions SET title = $2, lease_until = NULL WHERE id = $1', [
      made.sessionId,
      title,
    ]);
    return made;
  };
  const lastWeek = await session('Last week');
  await attempt(world, lastWeek, { minutesAgo: 3 * 1_440, outcome: 'success', before: 10_000, after: 5_000 });
  const busy = await session('Busy');
  await attempt(world, busy, { minutesAgo: 600, outcome: 'success', before: 100_000, after: 20_000 });
  await turn(world, busy, { id: 'one', minutesAgo: 540, calls: 4, cached: 900 });
  await attempt(world, busy, {
    minutesAgo: 360,
    outcome: 'success',
    before: 90_000,
    after: 30_000,
    tookMs: 800,
  });
  await turn(world, busy, { id: 'two', minutesAgo: 300, calls: 6, cached: 600 });
  await turn(world, busy, { id: 'three', minutesAgo: 240, calls: 2, cached: 300 });
  const early = await session('Early');
  const hygiene = { layer: 'hygiene', trigger: 'hygiene', outcome: 'deterministic', tookMs: 10_200 };
  await attempt(world, early, { ...hygiene, minutesAgo: 180, before: 50_000, after: 25_000 });
  await turn(world, early, { id: 'four', minutesAgo: 120, calls: 4, cached: 850 });
  await attempt(world, busy, { minutesAgo: 100, outcome: 'skipped', reason: 'cooldown', tookMs: 1 });
  await attempt(world, busy, { minutesAgo: 99, outcome: 'skipped', reason: 'cooldown', tookMs: 3 });
  await attempt(world, busy, {
    minutesAgo: 98,
    outcome: 'failed',
    reason: 'summary_timeout',
    tookMs: 60_000,
  });
  const pressed = await session('Pressed');
  const manual = { layer: 'manual', trigger: 'manual', outcome: 'ineffective' };
  await attempt(world, pressed, { ...manual, minutesAgo: 60, before: 40_000, after: 39_000 });
  return { busy, early, pressed, lastWeek, never: await session('Never') };
}

/** Prompts around the trigger of 7,500 tokens, one session in each kind of rest, one whose rest is over, two summary models. */
export async function knownBrakes(
  world: StoreWorld,
  { busy, early, pressed, lastWeek, never }: Awaited<ReturnType<typeof knownAttempts>>,
): Promise<void> {
  const set = ({ sessionId }: TestSession, assignments: string) =>
    world.query(`UPDATE sessions SET ${assignments} WHERE id = $1`, [sessionId]);
  await set(busy, `last_prompt_tokens = 9000, ineffective_streak = 2, probe_at = now() + interval '1 h'`);
  await set(
    early,
    `last_prompt_tokens = 7499, cooldown_until = now() + interval '1 h', cooldown_reason = 'summary_timeout'`,
  );
  await set(pressed, `hold_rest_until = now() + interval '1 h', hold_rest_reason = 'turn_hold'`);
  await set(
    lastWeek,
    `last_prompt_tokens = 7500, ineffective_streak = 2, probe_at = now() - interval '1 min'`,
  );
  await world.query(
    `INSERT INTO lcm_spend (session_id, window_started_at, calls, backoff_until) VALUES ($1, now(), 9, now() + interval '1 h')`,
    [never.sessionId],
  );
  await world.query(
    `INSERT INTO lcm_breaker (provider, model, failures, open_until) VALUES
       ('openai', 'small', 4, now() + interval '1 h'), ('openai', 'large', 1, NULL)`,
  );
}

/**
 * Each minute from half an hour ago on, also some that are still to come, 90 messages arrive and 6 turns run, so that it does
 * not matter in which one a page is read. One turn failed, two run; one message waits for two minutes and a half, three replies go
 * out, two replies and the compaction above are troubled.
 */
export async function knownMinutes(world: StoreWorld, session: TestSession): Promise<void> {
  await world.query(
    `INSERT INTO inbox (platform, account, update_key, status, received_at)
     SELECT 'telegram', '77', m || '-' || n, 'stored', date_trunc('minute', now()) + m * interval '1 min'
     FROM generate_series(-40, 10) AS m, generate_series(1, 90) AS n`,
  );
  await world.query(
    `INSERT INTO turns (session_id, id, chat_row_id, first_mailbox_seq, last_mailbox_seq, epoch, state, model_calls, started_at)
     SELECT $1, m || '-' || n, $2, 1, 1, 1, CASE WHEN (m, n) = (-10, 1) THEN 'failed' WHEN m = 0 AND n < 3 THEN 'running' ELSE 'answered' END,
       0, date_trunc('minute', now()) + m * interval '1 min'
     FROM generate_series(-40, 10) AS m, generate_series(1, 6) AS n`,
    [session.sessionId, session.chat.chatRowId],
  );
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state, accepted_at)
     VALUES ($1, 1, $2, 'message', '{"kind": "message", "message": {"text": "hi"}}', 'pending', now() - interval '151 s')`,
    [session.sessionId, session.chat.chatRowId],
  );
  for (const text of ['one', 'two', 'three']) await world.addReply(session, text);
  await troubledReply(world, session, { state: 'dead' });
  await troubledReply(world, session, { state: 'unknown' });
}
