/** lcm_summaries: the row as SQL gives it ↔ core's heads and summaries. */
import type { LcmEscalation, LcmKind, LcmSummary, LcmSummaryHead } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

export interface HeadRecord {
  id: string;
  kind: LcmKind;
  depth: number;
  tokens: number;
  earliest_at: Date;
  latest_at: Date;
  descendant_count: number;
  descendant_tokens: number;
  source_message_tokens: number;
  file_ids: string[];
  provider: string | null;
  model: string | null;
  escalation: LcmEscalation;
}

export interface SummaryRecord extends HeadRecord {
  content: string;
  source_ids: string[];
  superseded_by: string | null;
}

/** To be selected from `lcm_summaries s`. */
export const headColumns = sql.raw(
  `s.id, s.kind, s.depth, s.tokens, s.earliest_at, s.latest_at, s.descendant_count, s.descendant_tokens,
   s.source_message_tokens, s.file_ids, s.provider, s.model, s.escalation`,
);
export const summaryColumns = sql`${headColumns}, s.content, s.superseded_by,
   CASE WHEN s.kind = 'leaf' THEN '{}' ELSE ARRAY(SELECT e.source_summary_id FROM lcm_summary_sources e
         WHERE e.session_id = s.session_id AND e.summary_id = s.id ORDER BY e.ord) END AS source_ids`;

export function toHead(row: HeadRecord): LcmSummaryHead {
  return {
    id: row.id,
    kind: row.kind,
    depth: row.depth,
    tokens: row.tokens,
    earliestAt: row.earliest_at,
    latestAt: row.latest_at,
    descendantCount: row.descendant_count,
    descendantTokens: row.descendant_tokens,
    sourceMessageTokens: row.source_message_tokens,
    fileIds: row.file_ids,
    provider: row.provider,
    model: row.model,
    escalation: row.escalation,
  };
}

export function toSummary(row: SummaryRecord): LcmSummary {
  return {
    ...toHead(row),
    content: row.content,
    sourceIds: row.source_ids,
    supersededBy: row.superseded_by,
  };
}
