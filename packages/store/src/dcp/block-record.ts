/** dcp_block: the row as SQL gives it ↔ core's DcpBlock. */
import type { DcpAuthor, DcpBlock, DcpBlockStatus } from '@palimpsest/core';
import { sql } from 'drizzle-orm';

export interface BlockRecord {
  number: number;
  run: number;
  author: DcpAuthor;
  mode: DcpBlock['mode'];
  topic: string;
  batch_topic: string | null;
  body: string;
  ref_blocks: number[];
  start_ref: string;
  end_ref: string;
  anchor_unit: number;
  unit_ids: number[];
  consumed: number[];
  origin_turn_id: string | null;
  origin_call_id: string | null;
  origin_hash: string | null;
  status: DcpBlockStatus;
  raw_tokens: number;
  summary_tokens: number;
  duration_ms: number;
}

/** To be selected from `dcp_block b`. */
export const blockColumns = sql.raw(
  `b.number, b.run, b.author, b.mode, b.topic, b.batch_topic, b.body, b.ref_blocks, b.start_ref, b.end_ref, b.anchor_unit,
   b.unit_ids, b.consumed, b.origin_turn_id, b.origin_call_id, b.origin_hash, b.status, b.raw_tokens, b.summary_tokens,
   b.duration_ms`,
);

export function toBlock(record: BlockRecord): DcpBlock {
  const { origin_turn_id: turnId, origin_call_id: callId, origin_hash: argumentsHash } = record;
  return {
    number: record.number,
    run: record.run,
    author: record.author,
    mode: record.mode,
    topic: record.topic,
    batchTopic: record.batch_topic,
    body: record.body,
    refBlocks: record.ref_blocks,
    startRef: record.start_ref,
    endRef: record.end_ref,
    anchorUnit: record.anchor_unit,
    unitIds: record.unit_ids,
    consumed: record.consumed,
    origin:
      turnId === null || callId === null ? null : { turnId, callId, argumentsHash: argumentsHash ?? '' },
    status: record.status,
    rawTokens: record.raw_tokens,
    summaryTokens: record.summary_tokens,
    durationMs: record.duration_ms,
  };
}

export function toRecord(block: DcpBlock): BlockRecord {
  return {
    number: block.number,
    run: block.run,
    author: block.author,
    mode: block.mode,
    topic: block.topic,
    batch_topic: block.batchTopic,
    body: block.body,
    ref_blocks: [...block.refBlocks],
    start_ref: block.startRef,
    end_ref: block.endRef,
    anchor_unit: block.anchorUnit,
    unit_ids: [...block.unitIds],
    consumed: [...block.consumed],
    origin_turn_id: block.origin?.turnId ?? null,
    origin_call_id: block.origin?.callId ?? null,
    origin_hash: block.origin?.argumentsHash ?? null,
    status: block.status,
    raw_tokens: Math.round(block.rawTokens),
    summary_tokens: Math.round(block.summaryTokens),
    duration_ms: Math.round(block.durationMs),
  };
}
