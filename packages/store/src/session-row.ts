/** sessions: the row as SQL gives it ↔ core's Session. */
import type { BusyMode, ChatPlace, Platform, Session } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

/** A row of `sessions`, all columns, names as in SQL. */
export interface SessionRecord {
  id: string;
  title: string | null;
  engine: string;
  model: string | null;
  wanted_engine: string | null;
  wanted_model: string | null;
  busy_mode: BusyMode | null;
  system_prompt: string | null;
  system_note: string | null;
  platform: Platform;
  account: string;
  chat_kind: ChatPlace['kind'];
  chat_row_id: number;
  parent_session_id: string | null;
  revision: number;
  next_seq: number;
  next_mailbox_seq: number;
  epoch: number;
  lease_owner: string | null;
  lease_until: Date | null;
  last_prompt_tokens: number;
  last_cache_read_tokens: number;
  last_output_tokens: number;
  last_priced_seq: number;
  estimate_ratio: number;
  compaction_count: number;
  cooldown_until: Date | null;
  cooldown_reason: string | null;
  failure_streak: number;
  ineffective_streak: number;
  fallback_streak: number;
  probe_at: Date | null;
  structural_until: Date | null;
  hold_rest_until: Date | null;
  hold_rest_reason: string | null;
  hold_failure_streak: number;
  auxiliary_failed: string | null;
  trouble_told: Session['troubleTold'];
  rest_after_seq: number | null;
  preparing_until: Date | null;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
}

/** Spelled out, so that a prepared statement survives a later migration that adds a column. */
export const sessionColumns = sql.raw(
  `id, title, engine, model, system_prompt, system_note, platform, account, chat_kind, chat_row_id, parent_session_id,
   revision, next_seq, next_mailbox_seq, epoch, lease_owner, lease_until, last_prompt_tokens,
   last_cache_read_tokens, last_output_tokens,
   last_priced_seq, estimate_ratio, compaction_count, cooldown_until, cooldown_reason, failure_streak,
   ineffective_streak, fallback_streak, probe_at, structural_until, hold_rest_until, hold_rest_reason, hold_failure_streak,
   auxiliary_failed, trouble_told, rest_after_seq, preparing_until, created_at, updated_at, closed_at,
   wanted_engine, wanted_model, busy_mode`,
);

/** The session as the thinking packages know it. */
export function toSession(row: SessionRecord): Session {
  return {
    id: row.id,
    title: row.title ?? undefined,
    engine: row.engine,
    model: row.model ?? undefined,
    wantedEngine: row.wanted_engine ?? undefined,
    wantedModel: row.wanted_model ?? undefined,
    busyMode: row.busy_mode ?? undefined,
    systemPrompt: row.system_prompt,
    systemNote: row.system_note,
    chatKind: row.chat_kind,
    platform: row.platform,
    parentSessionId: row.parent_session_id ?? undefined,
    revision: row.revision,
    epoch: row.epoch,
    lastPromptTokens: row.last_prompt_tokens,
    lastCacheReadTokens: row.last_cache_read_tokens,
    lastOutputTokens: row.last_output_tokens,
    lastPricedSeq: row.last_priced_seq,
    estimateRatio: row.estimate_ratio,
    compactionCount: row.compaction_count,
    cooldownUntil: row.cooldown_until,
    cooldownReason: row.cooldown_reason,
    failureStreak: row.failure_streak,
    ineffectiveStreak: row.ineffective_streak,
    fallbackStreak: row.fallback_streak,
    probeAt: row.probe_at,
    structuralUntil: row.structural_until,
    holdRestUntil: row.hold_rest_until,
    holdRestReason: row.hold_rest_reason,
    holdFailureStreak: row.hold_failure_streak,
    auxiliaryFailed: row.auxiliary_failed,
    troubleTold: row.trouble_told,
    ...(row.rest_after_seq === null ? {} : { restAfterSeq: row.rest_after_seq }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
