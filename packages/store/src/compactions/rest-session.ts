/** sessions: what an attempt leaves behind for the next ones. Rests, ladders, strikes and what the person was told. */
import { ladderMs, ladderOf, probeAfterMs, type CompactionPlan, type NoPlan } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

/** After so many in a row that did not help, automatic compaction stops until its probe. */
export const mostStrikes = 2;

/** A share of the tokens that must be gone before a held message counts as helped. */
const materialShare = 0.95;

/** The end of an attempt as the session remembers it. Times in ms, null changes nothing. */
interface Rest {
  reason: string;
  /** The summary's model failed: strikes, ladders, a rest for everybody. */
  failed: boolean;
  /** A local summary stands where the model's should be. */
  isFallback: boolean;
  /** A summary came as it should: rests, ladders and failures end. */
  recovered: boolean;
  /** It made the prompt clearly smaller, so messages may be held again. */
  shrank: boolean;
  ineffective: boolean;
  cooldownMs: number | null;
  structuralMs: number | null;
  holdRestMs: number | null;
  auxiliaryFailed: string | null;
}

export function restAfterPlan(plan: CompactionPlan): Rest {
  const { outcome, cooldownMs, figures } = plan;
  const failed = cooldownMs !== undefined && outcome === 'deterministic';
  const recovered = cooldownMs === undefined && outcome === 'success';
  const isSmaller =
    figures.rowsAfter < figures.rowsBefore || figures.tokensAfter <= figures.tokensBefore * materialShare;
  return {
    reason: plan.reason,
    failed,
    isFallback: failed,
    recovered,
    shrank: recovered && isSmaller,
    ineffective: false,
    cooldownMs: failed ? cooldownMs : null,
    structuralMs: null,
    holdRestMs: plan.holdRestMs ?? null,
    auxiliaryFailed: plan.auxiliaryFailure?.model ?? null,
  };
}

/**
 * A failure is a strike, and so is an abort that asks for a rest (the model failed, the history was kept); a result
 * refused for growth is a strike of the other kind; that there was nothing to take out is none.
 */
export function restAfterNone(result: NoPlan): Rest {
  const { outcome, cooldownMs = null } = result;
  const failed = outcome === 'failed' || (outcome === 'aborted' && cooldownMs !== null);
  const isStructural = outcome === 'noop';
  return {
    reason: result.reason,
    failed,
    isFallback: false,
    recovered: false,
    shrank: false,
    ineffective: outcome === 'ineffective',
    cooldownMs: isStructural ? null : cooldownMs,
    structuralMs: isStructural ? cooldownMs : null,
    holdRestMs: result.holdRestMs ?? null,
    auxiliaryFailed: null,
  };
}

/**
 * Remember the end of an attempt; a rest never shortens a longer one. Time-outs and cut-off answers climb a ladder
 * each, and the least rest of a failure is what its class says. A hold that ran out is no failure of the model.
 *
 * changed  assignments of other columns, in the same statement
 */
export async function writeRest(
  tx: Transaction,
  sessionId: string,
  rest: Rest & { changed?: SQL },
): Promise<void> {
  const { failed, changed } = rest;
  const isStruck = rest.ineffective || rest.isFallback;
  const strikes = sql`(ineffective_streak + r.ineffective::int)`;
  const fallbacks = sql`(CASE WHEN r.recovered THEN 0 ELSE fallback_streak + r.fallback::int END)`;
  const rung = (streak: SQL): SQL => sql`(r.rungs)[least(${streak} + 1, cardinality(r.rungs))]`;
  await run(
    tx,
    sql`UPDATE sessions SET
        cooldown_until = CASE WHEN r.recovered THEN NULL ELSE greatest(cooldown_until, now() + interval '1 ms' * greatest(r.cooldown_ms,
          CASE r.ladder WHEN 'timeout' THEN ${rung(sql`timeout_streak`)} WHEN 'truncation' THEN ${rung(sql`truncation_streak`)} END)) END,
        cooldown_reason = CASE WHEN r.recovered THEN NULL WHEN r.failed OR r.cooldown_ms IS NOT NULL THEN r.reason ELSE cooldown_reason END,
        timeout_streak = CASE WHEN r.recovered THEN 0 ELSE timeout_streak + (r.ladder IS NOT DISTINCT FROM 'timeout')::int END,
        truncation_streak = CASE WHEN r.recovered THEN 0 ELSE truncation_streak + (r.ladder IS NOT DISTINCT FROM 'truncation')::int END,
        failure_streak = CASE WHEN r.recovered THEN 0 ELSE failure_streak + r.failed::int END,
        fallback_streak = ${fallbacks},
        ineffective_streak = ${strikes},
        probe_at = CASE WHEN r.struck AND greatest(${strikes}, ${fallbacks}) >= ${mostStrikes}::int
          THEN now() + ${probeAfterMs}::float8 * interval '1 ms' ELSE probe_at END,
        structural_until = CASE WHEN r.recovered OR r.fallback THEN NULL
          ELSE greatest(structural_until, now() + r.structural_ms * interval '1 ms') END,
        hold_rest_until = CASE WHEN r.shrank THEN NULL ELSE greatest(hold_rest_until, now() + r.hold_rest_ms * interval '1 ms') END,
        hold_rest_reason = CASE WHEN r.shrank THEN NULL WHEN r.hold_rest_ms IS NULL THEN hold_rest_reason ELSE r.reason END,
        hold_failure_streak = CASE WHEN r.shrank THEN 0 ELSE hold_failure_streak + (r.failed AND r.hold_rest_ms IS NOT NULL)::int END,
        auxiliary_failed = CASE WHEN r.recovered THEN r.auxiliary ELSE auxiliary_failed END,
        trouble_told = CASE WHEN NOT r.recovered THEN trouble_told
          WHEN r.auxiliary IS NULL OR trouble_told IS NULL THEN NULL ELSE 'took_over' END
        ${changed ? sql`, ${changed}` : sql``}
      FROM (SELECT ${rest.reason}::text AS reason, ${failed}::boolean AS failed, ${rest.isFallback}::boolean AS fallback,
          ${rest.recovered}::boolean AS recovered, ${rest.shrank}::boolean AS shrank, ${rest.ineffective}::boolean AS ineffective,
          ${isStruck}::boolean AS struck, ${rest.cooldownMs}::float8 AS cooldown_ms, ${rest.structuralMs}::float8 AS structural_ms,
          ${rest.holdRestMs}::float8 AS hold_rest_ms, ${rest.auxiliaryFailed}::text AS auxiliary,
          ${failed ? ladderOf(rest.reason as NoPlan['reason']) : null}::text AS ladder, ${sql.param([...ladderMs])}::float8[] AS rungs) r
      WHERE id = ${sessionId}`,
    changed ? 'write_rest_and_count' : 'write_rest',
  );
}
