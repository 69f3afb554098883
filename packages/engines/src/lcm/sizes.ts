import type { Config, ModelInfo, PromptBudget, Session } from '@palimpsest/core';
import { applyOverrides } from './override-rules.ts';

/** Sizes that a session is condensed and assembled with; tokens. */
export interface Sizes {
  windowTokens: number;
  overheadTokens: number;
  /** Share of the window that the config names for this session and model. */
  thresholdRaw: number;
  /** Compaction above this, strictly. */
  triggerTokens: number;
  /** From here on a plan is made ahead. */
  prepareTokens: number;
  hardLimitTokens: number;
  /** Room of the messages in a request: the window less answer, system text and tools. */
  roomTokens: number;
  /** Estimated tokens that messages may have below the trigger. */
  ownTokens: number;
  thresholdSource: string;
  tailCount: number;
  tailTokens: number;
  /** Incremental work begins when this much could be summarised. */
  leafChunkTokens: number;
  leafTargetTokens: number;
  condensedTargetTokens: number;
  /** Sources of a condensed summary are at least this large. */
  leastCondensedTokens: number;
  /** Room for all summaries together before they are condensed. */
  prefixTokens: number;
}

/*
 * Every fixed size yields to a small window. The room that messages have below the trigger is shared out: where nothing is
 * set the tail takes a third and all summaries together a fifth; a chunk takes half, so that a sweep writes one leaf; the rest is still to come before the next
 * compaction, so that there are few of them. A summary takes 8 % of the window.
 */
const tailShare = 0.35;
const chunkShare = 0.5;
const prefixShare = 0.2;
const summaryShare = 0.08;
/** However large system text and tools are, messages count as having this share of the trigger. */
const leastRoomShare = 0.2;

/** The sizes of a session under its model; fixed ones yield to a small window. */
export function sizesOf(
  config: Config,
  budget: PromptBudget,
  who: { session: Pick<Session, 'id' | 'estimateRatio'>; model: Pick<ModelInfo, 'name'> },
): Sizes {
  const { context, compression } = config;
  const { lcm } = context;
  const { windowTokens, overheadTokens, outputReserveTokens } = budget;
  const chosen = applyOverrides(lcm, { model: who.model.name, sessionId: who.session.id, windowTokens });
  const hardLimitTokens = Math.max(1, windowTokens - outputReserveTokens);
  const triggerTokens = Math.max(1, shareOf(windowTokens, chosen.context_threshold));
  const own = Math.max(triggerTokens - overheadTokens, triggerTokens * leastRoomShare);
  // Rows are measured by the estimate; where the provider counts more, less of them fits.
  const room = Math.max(1, Math.floor(own / Math.max(1, who.session.estimateRatio)));
  const leafChunkTokens = atLeastOne(Math.min(chosen.leaf_chunk_tokens, shareOf(room, chunkShare)));
  const summaryCap = atLeastOne(shareOf(windowTokens, summaryShare));
  const condensedTargetTokens = Math.min(lcm.condensed_target_tokens, summaryCap);
  return {
    windowTokens,
    overheadTokens,
    thresholdRaw: chosen.context_threshold,
    triggerTokens,
    prepareTokens: shareOf(triggerTokens, compression.background_at),
    hardLimitTokens,
    roomTokens: roomOf(hardLimitTokens - overheadTokens, lcm.max_assembly_token_budget),
    ownTokens: room,
    thresholdSource: chosen.source,
    tailCount: chosen.fresh_tail_count,
    tailTokens: lcm.fresh_tail_max_tokens ?? shareOf(room, tailShare),
    leafChunkTokens,
    leafTargetTokens: Math.min(lcm.leaf_target_tokens, summaryCap),
    condensedTargetTokens,
    leastCondensedTokens: Math.max(condensedTargetTokens, shareOf(leafChunkTokens, 0.1)),
    prefixTokens:
      lcm.summary_prefix_target_tokens ??
      Math.max(condensedTargetTokens, Math.min(leafChunkTokens, shareOf(room, prefixShare))),
  };
}

/** Whole tokens of a share; binary fractions just under a whole number count as that number. */
function shareOf(tokens: number, share: number): number {
  return Math.floor(tokens * share + 1e-6);
}

function roomOf(tokens: number, cap: number | null): number {
  return Math.max(1, cap === null ? tokens : Math.min(tokens, cap));
}

function atLeastOne(tokens: number): number {
  return Math.max(1, tokens);
}
