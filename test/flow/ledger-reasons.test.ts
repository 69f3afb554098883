/** Every outcome and every reason of the ledger is brought about by what brings it about, and both tellers agree on it. */
import { outcomes, reasons, type Tool } from '@palimpsest/core';
import type { ModelScript, ScriptAnswer, ScriptRequest } from '@palimpsest/testkit';
import { expect, test } from 'vitest';
import { inLedger, query, SeenAttempts, watchAttempts } from '../support/ledger-attempts.ts';
import { setSession } from '../support/session-row.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import type { TurnWorld, TurnWorldOptions } from '../support/turn-world.ts';
import { until } from '../support/until.ts';

/** Trigger 6,000, hygiene from 6,800 on, hard limit 7,200. A line and its answer: 660. */
const window = 8_000;
const timeout = 120_000;

const seen = new SeenAttempts();
const watch = (options: Partial<TurnWorldOptions>) =>
  watchAttempts({ script: answering(), window, ...options }, seen);

/** Say a line and wait for one more reply. */
async function heardAfter(world: TurnWorld, text: string): Promise<void> {
  const before = (await world.heard()).length;
  await world.say(text);
  await world.hear(before + 1);
}

const isSummary = (request: ScriptRequest): boolean => request.tools.length === 0;

test(
  'failures of the summary model, one after the other',
  async () => {
    // No wait that a server asks for is this long, so each is asked once.
    const retryAfterMs = 600_000;
    const failures: readonly (readonly [ScriptAnswer, string])[] = [
      [{ fault: 'auth' }, 'summary_auth'],
      [{ fault: 'rate_limit', retryAfterMs }, 'summary_rate_limited'],
      [{ fault: 'bad_request' }, 'summary_provider_4xx'],
      [{ fault: 'server_error', retryAfterMs }, 'summary_provider_5xx'],
      [{ fault: 'timeout', retryAfterMs }, 'summary_timeout'],
      [{ fault: 'overflow' }, 'summary_context_too_small'],
      [{ text: '' }, 'summary_empty'],
      [{ text: '## Goal\nTake the', stop: 'max_tokens' }, 'summary_too_long'],
      [{ fault: 'insufficient_quota' }, 'spend_limit'],
    ];
    let answer: ScriptAnswer = { text: '' };
    const turns = answering();
    const script: ModelScript = (request) => (isSummary(request) ? answer : turns(request));
    await using watched = await watch({
      script,
      window: 32_000,
      summaryOnMain: true,
      config: 'compression: {background: false, abort_on_summary_failure: true}',
    });
    const { world, both } = watched;
    await talk(world, 16);

    for (const [fails] of failures) {
      answer = fails;
      await ask(world, '/compress');
    }
    answer = { text: '## Goal\nTake the ferry to the island' };
    await ask(world, '/compress');

    await both(
      ...failures.map(([, reason]) => `manual manual failed ${reason}`),
      'manual manual success none',
    );
  },
  timeout,
);

test(
  'a chat of two lines, one of four, a row changed beside, a full gap and a database that refuses',
  async () => {
    let beside: ((request: ScriptRequest) => Promise<void>) | null = null;
    const turns = answering();
    const script: ModelScript = async (request) => {
      if (!isSummary(request)) return turns(request);
      await beside?.(request);
      return { text: '## Goal\nTake the ferry to the island' };
    };
    await using watched = await watch({
      script,
      window: 32_000,
      summaryOnMain: true,
      config: 'compression: {background: false}',
    });
    const { world, both } = watched;
    await talk(world, 1);
    await ask(world, '/compress');
    await talk(world, 1);
    await ask(world, '/compress');
    await talk(world, 14);

    beside = async () => {
      await query(
        world,
        `UPDATE messages SET active = 0 WHERE seq = (SELECT min(seq) FROM messages WHERE seq > 3072)`,
      );
    };
    await ask(world, '/compress');
    beside = null;
    await query(world, `UPDATE messages SET seq = -seq`);
    await query(
      world,
      `UPDATE messages SET seq = (SELECT count(*) FROM messages m WHERE m.seq >= messages.seq)`,
    );
    await ask(world, '/compress');
    await query(world, `UPDATE messages SET seq = seq * 1024 + 1048576`);
    await query(world, `UPDATE sessions SET next_seq = 16777216`);
    await query(
      world,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END $$`,
    );
    await query(
      world,
      `CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.kind = 'summary') EXECUTE FUNCTION refuse()`,
    );
    await world.say('/compress');
    await both('manual manual failed db_error');
    await query(world, `DROP TRIGGER refuse ON messages`);
    await both(
      'manual manual skipped too_few_messages',
      'manual manual noop protected_only',
      'manual manual aborted validation_failed',
      'manual manual noop no_seq',
      'manual manual success none',
    );
  },
  timeout,
);

test(
  'rests and limits at the trigger',
  async () => {
    await using watched = await watch({ config: 'compression: {background: false, max_per_hour: 1}' });
    const { world, both } = watched;
    await talk(world, 1);
    await setSession(world, `structural_until = now() + interval '1 h'`);
    await talk(world, 8);
    await setSession(
      world,
      `structural_until = NULL, ineffective_streak = 2, probe_at = now() + interval '5 minutes'`,
    );
    await world.say('And now?');
    await world.hear(10, isAnswer);
    await setSession(world, `ineffective_streak = 0, probe_at = NULL`);
    await world.say('And now?');
    await world.hear(11, isAnswer);
    await talk(world, 11);

    await both(
      'agent threshold skipped cooldown',
      'agent threshold skipped breaker_open',
      'agent threshold skipped too_often',
      'hygiene hygiene skipped too_often',
      'hygiene hygiene success none',
    );
  },
  timeout,
);

test(
  'a message that waits: the hold runs out, and the person stops it',
  async () => {
    const slow = { text: '## Goal\nNever comes in time', delayMs: 60_000 };
    const config = (holdSeconds: number): string =>
      `compression: {hygiene_max_turn_hold_seconds: ${holdSeconds}, threshold: 0.99, small_context_floor: null, background_at: 1}`;
    await using short = await watch({ config: config(0.3), summariser: () => slow });
    await talk(short.world, 12);
    await short.both('hygiene hygiene aborted turn_hold', 'hygiene hygiene deterministic none');

    await using long = await watch({ config: config(60), summariser: () => slow });
    await talk(long.world, 10);
    await long.world.say(`Line 11. ${'The ferry leaves at nine. '.repeat(60)}`);
    await until(() => long.world.summariser.requests.length > 0);
    await long.world.say('/stop');
    await long.both('hygiene hygiene aborted user_cancelled');
  },
  timeout,
);

test(
  'old tool output cleared, and an attempt whose process died',
  async () => {
    const call = { name: 'dig', arguments: {} };
    const deep = 'log line. '.repeat(1_900);
    let output = 'log line. '.repeat(350);
    const dig: Tool = {
      schema: { name: 'dig', description: 'reads', parameters: { type: 'object', properties: {} } },
      repeatable: true,
      run: () => Promise.resolve({ text: output, isError: false }),
    };
    const script: ModelScript = ({ messages }) =>
      messages.at(-1)!.toolResults.length > 0
        ? { text: 'Noted.' }
        : { toolCalls: output === deep ? [call, call] : [call] };
    await using digging = await watch({ script, tools: [dig], window: 32_000 });
    // From below the share of the trigger at which plans are made ahead (19,200) past the trigger (24,000) in one step.
    while ((digging.world.model.usage.at(-1)?.promptTokens ?? 0) < 16_000)
      await heardAfter(digging.world, 'dig');
    output = deep;
    await heardAfter(digging.world, 'dig deep');
    await digging.both('agent threshold fallback_trim none');

    await using short = await watch({});
    await heardAfter(short.world, 'ok');
    const opened = await short.world.store.compactions.open({
      sessionId: await short.world.sessionId(),
      epoch: 0,
      engine: 'compressor',
      layer: 'agent',
      trigger: 'threshold',
      windowTokens: window,
      windowSource: 'config',
      thresholdRaw: 0.5,
      triggerTokens: 6_000,
      mainModel: 'm',
    });
    expect(opened).toBeGreaterThan(0);
    await short.both('agent threshold failed lease_lost');
  },
  timeout,
);

test(
  'the model-guided engine asks the model, and says when it is switched off',
  async () => {
    const script: ModelScript = () => ({ text: 'Noted.' });
    await using on = await watch({ script, window: 32_000, config: 'context: {engine: dcp}' });
    for (let turn = 1; turn <= 3; turn++) await heardAfter(on.world, 'ok');
    await ask(on.world, '/compress');
    await on.both('manual manual noop model_asked');

    const config = 'context: {engine: dcp, dcp: {enabled: false}}';
    await using off = await watch({ script, window: 32_000, config });
    for (let turn = 1; turn <= 3; turn++) await heardAfter(off.world, 'ok');
    await ask(off.world, '/compress');
    await off.both('manual manual noop switched_off');
  },
  timeout,
);

test(
  'the lossless engine waits for a cold cache, runs out of time, and uses its calls up',
  async () => {
    const config = (more: string): string => `
context:
  engine: lcm
  lcm:
    fresh_tail_count: 4
    leaf_chunk_tokens: 1500
    dynamic_leaf_chunk_tokens: {enabled: false}
${more}`;
    await using hot = await watch({
      window: 64_000,
      config: config('    cache_aware_compaction: {cache_ttl_seconds: 300}'),
    });
    await talk(hot.world, 8);
    const sessionId = await hot.world.sessionId();
    await hot.world.queue.maintain({ kind: 'debt', sessionId, urgent: false });
    await hot.world.queue.maintain({ kind: 'prepare', sessionId, urgent: true });
    await hot.both('background prepared noop hot_cache');

    await using bound = await watch({ window: 64_000, config: config('    sweep_deadline_ms: 1') });
    await talk(bound.world, 12);
    // Whether the millisecond is over before the first summary or in the middle of it is chance.
    while (!('manual manual ineffective none' in (await inLedger(bound.world))))
      await ask(bound.world, '/compress');
    await bound.both('manual manual ineffective none');

    await using spent = await watch({
      config: config('    summary_max_calls_per_window: 1'),
    });
    await talk(spent.world, 24);
    await spent.both('agent threshold skipped spend_limit');
  },
  timeout,
);

test('the list of the ledger holds nothing that cannot happen', () => {
  expect([...seen.outcomes].sort()).toEqual([...outcomes].sort());
  expect([...seen.reasons].sort()).toEqual([...reasons].sort());
});
