/** sessions: the columns a lease holder may change. */
import { cleanText, type SessionPatch } from '@palimpsest/core';
import { sql, type SQL } from 'drizzle-orm';
import { run, type Transaction } from './database.ts';

const columns = {
  title: 'title',
  engine: 'engine',
  model: 'model',
  wantedEngine: 'wanted_engine',
  wantedModel: 'wanted_model',
  busyMode: 'busy_mode',
  systemPrompt: 'system_prompt',
  systemNote: 'system_note',
  lastPromptTokens: 'last_prompt_tokens',
  lastCacheReadTokens: 'last_cache_read_tokens',
  lastOutputTokens: 'last_output_tokens',
  lastPricedSeq: 'last_priced_seq',
  estimateRatio: 'estimate_ratio',
  cooldownReason: 'cooldown_reason',
  failureStreak: 'failure_streak',
  ineffectiveStreak: 'ineffective_streak',
  fallbackStreak: 'fallback_streak',
  troubleTold: 'trouble_told',
} as const satisfies Record<Exclude<keyof SessionPatch, 'cooldownMs'>, string>;

/** What an UPDATE of the session's row sets beside its own columns. The same `name` is the same text. */
export interface SessionChange {
  sets: readonly SQL[];
  name: string;
}

/** Change what the patch names; a key that is there with `undefined` clears the column (title, model, wanted ones). */
export async function patchSession(
  tx: Transaction,
  sessionId: string,
  patch: SessionPatch | undefined,
): Promise<void> {
  const { sets, name } = changeOf(patch);
  if (sets.length === 0) return;
  await run(
    tx,
    sql`UPDATE sessions SET ${sql.join([...sets], sql`, `)}, updated_at = now() WHERE id = ${sessionId}`,
    `patch_session_${name}`,
  );
}

/** The same columns give the same text; a turn patches the same ones every time. */
export function changeOf(patch: SessionPatch | undefined): SessionChange {
  if (patch === undefined) return { sets: [], name: '' };
  const names = Object.keys(columns).map((key) => (key in patch ? '1' : '0'));
  const cooldown = patch.cooldownMs === undefined ? 'k' : patch.cooldownMs === null ? 'n' : 's';
  return { sets: assignments(patch), name: `${names.join('')}${cooldown}` };
}

function assignments(patch: SessionPatch): SQL[] {
  const sets: SQL[] = [];
  for (const [key, column] of Object.entries(columns) as [keyof typeof columns, string][]) {
    if (!(key in patch)) continue;
    const value = patch[key] ?? null;
    sets.push(sql`${sql.identifier(column)} = ${typeof value === 'string' ? cleanText(value) : value}`);
  }
  if (patch.cooldownMs === null) sets.push(sql`cooldown_until = NULL`);
  else if (patch.cooldownMs !== undefined)
    sets.push(sql`cooldown_until = now() + ${patch.cooldownMs} * interval '1 ms'`);
  return sets;
}
