/** A summariser in trouble: what is tried, what rests, what the person hears, and that nobody waits for it. */
import { expect, test } from 'vitest';
import type { ModelScript, ScriptRequest } from '@palimpsest/testkit';
import { sessionRow, setSession } from '../support/session-row.ts';
import { answering, ask, isAnswer, talk } from '../support/talk.ts';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

/** Trigger 6,000, plans are made from 4,800 on, hygiene from 6,800 on, hard limit 7,200. A line and its answer: 660. */
const window = 8_000;
const plainSummary = { text: '## Goal\nTake the ferry to the island' };

const isSummary = (request: ScriptRequest): boolean => request.tools.length === 0;

/** The main model answers turns as `answering` does and summaries by `summaries`. */
function mainWith(summaries: ModelScript, prompts: ScriptRequest[] = []): ModelScript {
  const answer = answering();
  return (request) => {
    prompts.push(request);
    return isSummary(request) ? summaries(request) : answer(request);
  };
}

async function ledgerOf(world: TurnWorld) {
  const ledger = await world.store.compactions.ledger({ sessionId: await world.sessionId(), limit: 50 });
  return ledger.toReversed();
}

const noticesOf = async (world: TurnWorld) => (await world.heard()).filter((text) => !isAnswer(text));
const failedNotice =
  'ℹ️ I could not condense the older part of our conversation just now; it stays as it is. If answers get slow, send /compress to try again or /new to begin afresh.';

test('F5 a failed summary model is replaced by the main one, told once a streak, and the ledger names both', async () => {
  await using world = await openTurnWorld({
    script: mainWith(() => plainSummary),
    window,
    config: 'compression: {background: false}',
    summariser: () => ({ fault: 'auth' }),
  });

  await talk(world, 24);

  const ledger = await ledgerOf(world);
  expect(ledger.length).toBeGreaterThanOrEqual(2);
  for (const row of ledger)
    expect(row).toMatchObject({ outcome: 'success', summaryModel: 'claude-sonnet-5' });
  expect(ledger.map((row) => row.figures!.summaryCalls)).toEqual(ledger.map(() => 2));
  expect(await noticesOf(world)).toEqual([
    'ℹ️ summariser, which writes my summaries, failed, so claude-sonnet-5 wrote the newest one and read the older part of our conversation once more at full price. Nothing is lost.',
  ]);
  expect(await sessionRow(world)).toMatchObject({ failure_streak: 0, auxiliary_failed: 'summariser' });
});

test('F4 where the main model writes the summaries a failure takes exactly one call', async () => {
  const prompts: ScriptRequest[] = [];
  await using world = await openTurnWorld({
    script: mainWith(() => ({ fault: 'auth' }), prompts),
    window,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });

  await talk(world, 9);

  expect((await ledgerOf(world)).filter((row) => row.outcome === 'failed')).toMatchObject([
    { reason: 'summary_auth', summaryModel: 'claude-sonnet-5' },
  ]);
  expect(prompts.filter(isSummary)).toHaveLength(1);
});

test('F3 in the rest after a failure nobody asks again, nobody waits, and the person hears of it once', async () => {
  await using world = await openTurnWorld({
    script: mainWith(() => ({ fault: 'auth' })),
    window,
    summariser: () => ({ fault: 'auth' }),
  });

  await talk(world, 20);

  const ledger = await ledgerOf(world);
  expect(ledger.filter((row) => row.outcome === 'failed')).toMatchObject([
    { layer: 'background', reason: 'summary_auth' },
  ]);
  expect(world.summariser.requests).toHaveLength(1);
  expect(ledger.some((row) => row.outcome === 'skipped' && row.reason === 'cooldown')).toBe(true);
  // Past the hard limit the local summary makes room at once; no message was held for a model.
  expect(ledger.some((row) => row.outcome === 'deterministic' && row.summaryModel === null)).toBe(true);
  expect(ledger.some((row) => row.reason === 'turn_hold')).toBe(false);
  expect(await noticesOf(world)).toEqual([failedNotice]);
  expect((await world.heard()).filter(isAnswer)).toHaveLength(20);
});

test('a summary that comes after the rest ends the streak; the next failure is told again', async () => {
  let broken = true;
  await using world = await openTurnWorld({
    script: mainWith(() => (broken ? { fault: 'auth' } : plainSummary)),
    window,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 9);
  broken = false;
  await setSession(world, `cooldown_until = now()`);
  // A short line: about 6,560 tokens, well over the trigger and well under hygiene, which would hold and tell.
  await world.say('And now?');
  await world.hear(10, isAnswer);
  const recovered = await sessionRow(world);
  broken = true;
  await talk(world, 8);

  expect(recovered).toMatchObject({ failure_streak: 0, cooldown_until: null, trouble_told: null });
  expect(await noticesOf(world)).toEqual([failedNotice, failedNotice]);
});

test('G29 ten failures in a row are told once; the history stays whole, and every message is answered', async () => {
  const long = answering();
  let [asked, answers] = [0, 0];
  const script: ModelScript = (request) => {
    if (isSummary(request)) asked += 1;
    else answers += 1;
    if (isSummary(request)) return { fault: 'auth' };
    return answers > 9 ? { text: 'Noted.' } : long(request);
  };
  const config = 'compression: {background: false}';
  await using world = await openTurnWorld({ script, window, summaryOnMain: true, config });
  const sayOne = async () => {
    const heard = answers + 1;
    await world.say('And now?');
    await world.hear(heard, isAnswer);
  };

  await talk(world, 9);
  // The last of the nine was the first attempt.
  for (let attempt = 2; attempt <= 10; attempt++) {
    await setSession(world, `cooldown_until = now()`);
    await sayOne();
  }
  await sayOne();

  const ledger = await ledgerOf(world);
  expect([asked, ledger.filter((row) => row.outcome === 'failed').length]).toEqual([10, 10]);
  expect(ledger.at(-1)).toMatchObject({ outcome: 'skipped', reason: 'cooldown' });
  expect(await noticesOf(world)).toEqual([failedNotice]);
  const people = (await world.rows()).filter(({ kind, state }) => kind === 'person' && state === 'live');
  expect([people.length, (await world.heard()).filter(isAnswer).length]).toEqual([answers, answers]);
});

test('F6 an answer cut off at its limit keeps the history and advances a ladder of its own', async () => {
  await using world = await openTurnWorld({
    script: mainWith(() => ({ text: '## Goal\nTake the', stop: 'max_tokens' })),
    window,
    summaryOnMain: true,
    config: 'compression: {background: false}',
  });
  await talk(world, 9);
  await setSession(world, `cooldown_until = now()`);
  await talk(world, 1);

  const failed = (await ledgerOf(world)).filter((row) => row.outcome === 'failed');
  expect(failed.map((row) => row.reason)).toEqual(['summary_too_long', 'summary_too_long']);
  expect(await sessionRow(world)).toMatchObject({
    truncation_streak: 2,
    timeout_streak: 0,
    rest_seconds: 300,
  });
  expect((await world.rows()).every((row) => row.state === 'live')).toBe(true);
});

test('F8 a manual /compress in the rest makes one attempt, and its success ends the rest', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 16);
  await setSession(
    world,
    `cooldown_until = now() + interval '1 h', structural_until = now() + interval '1 h'`,
  );

  const answer = await ask(world, '/compress');

  expect(answer).toMatch(/^ℹ️ Condensed: 32 → \d+ messages/);
  expect(world.summariser.requests).toHaveLength(1);
  expect(await sessionRow(world)).toMatchObject({ cooldown_until: null, structural_until: null });
});

test('a prompt that the provider refuses gets one attempt through the rest', async () => {
  let refusals = 0;
  const answer = answering();
  await using world = await openTurnWorld({
    window: 32_000,
    script: (request) => {
      if (request.messages.length < 30 || refusals > 0) return answer(request);
      refusals += 1;
      return { fault: 'overflow' };
    },
  });
  await talk(world, 12);
  await setSession(world, `cooldown_until = now() + interval '1 h', cooldown_reason = 'summary_timeout'`);

  await talk(world, 4);

  expect(refusals).toBe(1);
  expect(world.summariser.requests).toHaveLength(1);
  expect(await ledgerOf(world)).toMatchObject([{ layer: 'overflow', outcome: 'success' }]);
});

test('H9 a hold that runs out rests the holds: later messages are not held, the background goes on asking', async () => {
  let slow = true;
  await using world = await openTurnWorld({
    script: answering(),
    window,
    // Nothing is made ahead below hygiene's border, so that only hygiene asks.
    config:
      'compression: {hygiene_max_turn_hold_seconds: 0.5, threshold: 0.99, small_context_floor: null, background_at: 1}',
    summariser: () => (slow ? { ...plainSummary, delayMs: 60_000 } : plainSummary),
  });

  await talk(world, 24);

  const ledger = await ledgerOf(world);
  expect(ledger.filter((row) => row.reason === 'turn_hold')).toMatchObject([
    { layer: 'hygiene', outcome: 'aborted' },
  ]);
  expect(ledger.filter((row) => row.outcome === 'deterministic').length).toBeGreaterThanOrEqual(2);
  expect((await noticesOf(world)).filter((text) => text.includes('brief outline'))).toHaveLength(1);
  const session = await sessionRow(world);
  expect(session).toMatchObject({ hold_rest_reason: 'turn_hold', cooldown_until: null, failure_streak: 0 });
  expect(session).toMatchObject({ hold_failure_streak: 0 });
  slow = false;
  expect(await ask(world, '/compress')).toMatch(/^ℹ️ Condensed/);
  expect(await sessionRow(world)).toMatchObject({ hold_rest_until: null, trouble_told: null });
});

test('two compactions that did not help stop automatic ones; from the stored time on one probe is made, and a good count ends it', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window: 32_000,
    config: 'compression: {background: false, threshold: 0.2, small_context_floor: null, tail_mode: legacy}',
  });
  await talk(world, 1);
  await setSession(world, `structural_until = now() + interval '1 h'`);
  await talk(world, 12);
  await setSession(
    world,
    `structural_until = NULL, ineffective_streak = 2, probe_at = now() + interval '5 minutes'`,
  );
  await talk(world, 2);
  const blocked = await ledgerOf(world);
  await setSession(world, `probe_at = now()`);
  await talk(world, 1);

  expect(new Set(blocked.map((row) => row.outcome))).toEqual(new Set(['skipped']));
  expect(blocked.at(-1)).toMatchObject({ reason: 'breaker_open' });
  const probe = (await ledgerOf(world)).at(-1)!;
  expect(probe).toMatchObject({ outcome: 'success', layer: 'agent' });
  // The next real count confirms it and ends the strikes (F9).
  expect(probe.tokensAfterConfirmed).toBe(world.model.usage.at(-1)!.promptTokens);
  expect(await sessionRow(world)).toMatchObject({ ineffective_streak: 0 });
});

test('U3 T7 what another model counted, learned and failed at is forgotten; the same model keeps it', async () => {
  await using world = await openTurnWorld({ script: answering(), window: 32_000 });
  await talk(world, 2);
  const troubled = `cooldown_until = now() + interval '1 h', failure_streak = 2, ineffective_streak = 2, estimate_ratio = 2`;
  await setSession(world, troubled);
  await talk(world, 1);
  const same = await sessionRow(world);
  await setSession(world, `model = 'openai/another-model', ${troubled}`);
  await talk(world, 1);

  // One count below the trigger ends the strikes of either.
  expect(same).toMatchObject({ rest_seconds: 3_600, failure_streak: 2 });
  expect(same['estimate_ratio']).toBeGreaterThan(1.6);
  const changed = await sessionRow(world);
  expect(changed).toMatchObject({
    cooldown_until: null,
    failure_streak: 0,
    model: 'anthropic/claude-sonnet-5',
  });
  expect(changed['estimate_ratio']).toBeLessThan(1.2);
});

test('more compactions an hour than allowed are declined below the hard limit, with a row in the ledger', async () => {
  await using world = await openTurnWorld({
    script: answering(),
    window,
    config: 'compression: {background: false, max_per_hour: 1}',
  });

  await talk(world, 20);

  const ledger = await ledgerOf(world);
  expect(ledger[0]).toMatchObject({ trigger: 'threshold', outcome: 'success' });
  expect(ledger.filter((row) => row.trigger === 'threshold' && row.outcome === 'success')).toHaveLength(1);
  expect(ledger.some((row) => row.outcome === 'skipped' && row.reason === 'too_often')).toBe(true);
  expect(ledger.some((row) => row.trigger === 'preflight' || row.trigger === 'hygiene')).toBe(true);
  expect(world.model.refused).toBe(0);
});
