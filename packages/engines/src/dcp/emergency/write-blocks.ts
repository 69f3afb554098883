import type { CompactionFigures, CompactionPlan, DcpBlock, MessageRow, NoPlan } from '@palimpsest/core';
import type { SummaryCost } from '../../compressor/write-summary.ts';
import type { HostSpan } from './choose-spans.ts';
import { hostBlock } from './host-block.ts';
import {
  scaleOf,
  summaryTokensOf,
  type RoomCause,
  type RoomGround,
  type RoomHelp,
  type RoomStage,
} from './room-ground.ts';
import { noCost, noRoom } from './room-plan.ts';
import { bodyFromModel, bodyWithoutModel, type BodyWish, type WrittenBody } from './write-body.ts';

export interface BlocksWish {
  ground: RoomGround;
  cause: RoomCause;
  stage: RoomStage;
  spans: readonly HostSpan[];
  bodies: ReadonlyMap<number, MessageRow>;
}

export type BlocksMade =
  | NoPlan
  | {
      kind: 'blocks';
      blocks: readonly DcpBlock[];
      outcome: Extract<CompactionPlan['outcome'], 'success' | 'deterministic'>;
      reason: CompactionPlan['reason'];
      escalation: CompactionFigures['escalation'];
      rowsDroppedWithoutSummary: number;
      summaryModel: string | null;
      cost: SummaryCost;
      cooldownMs?: number;
    };

interface Bodies {
  made: readonly WrittenBody[];
  cost: SummaryCost;
  failure: { reason: CompactionPlan['reason']; cooldownMs: number; message: string } | null;
}

/**
 * One block a span. In hygiene a failed summariser leaves everything as it is, unless no model was to be asked; in an
 * emergency the texts that need no model take its place.
 */
export async function writeBlocks(wish: BlocksWish, help: RoomHelp): Promise<BlocksMade> {
  const { ground, cause } = wish;
  const wishes = wish.spans.map((span) => bodyWish(wish, span));
  const isLocal = ground.request.mode !== 'full';
  const asked = isLocal ? withoutModel(wishes) : await fromModel(wishes, help);
  const summaryModel = isLocal ? null : help.summariser.model;
  if (help.signal.aborted)
    return { ...noRoom('aborted', 'user_cancelled', 'stopped while the summary was written'), summaryModel };
  const { failure, cost } = asked;
  if (failure && cause === 'hygiene')
    return {
      ...noRoom('failed', failure.reason, failure.message),
      summaryModel,
      summaryCalls: cost.calls,
      cooldownMs: failure.cooldownMs,
    };
  const made = failure ? withoutModel(wishes).made : asked.made;
  return {
    kind: 'blocks',
    ...sumOf(wish, made),
    reason: failure?.reason ?? 'none',
    summaryModel,
    cost,
    cooldownMs: failure?.cooldownMs,
  };
}

function bodyWish({ ground, stage, bodies }: BlocksWish, span: HostSpan): BodyWish {
  return {
    items: stage.layout.items.slice(span.from, span.to + 1),
    spanTokens: span.tokens,
    bodies,
    blocks: stage.layout.blocks,
    targetTokens: summaryTokensOf(ground),
    focus: ground.request.focus ?? '',
    scale: scaleOf(ground, stage.sizes),
  };
}

function withoutModel(wishes: readonly BodyWish[]): Bodies {
  return { made: wishes.map(bodyWithoutModel), cost: noCost, failure: null };
}

/** One span after the other; the first failure ends it. */
async function fromModel(wishes: readonly BodyWish[], help: RoomHelp): Promise<Bodies> {
  const made: WrittenBody[] = [];
  let cost = noCost;
  for (const wish of wishes) {
    const body = await bodyFromModel(wish, help);
    cost = added(cost, body.cost);
    if (body.kind === 'failed') return { made, cost, failure: body };
    made.push(body.made);
  }
  return { made, cost, failure: null };
}

function added(one: SummaryCost, other: SummaryCost): SummaryCost {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

function sumOf({ ground, cause, stage, spans }: BlocksWish, made: readonly WrittenBody[]) {
  const author = cause === 'hygiene' ? ('host_hygiene' as const) : ('host_emergency' as const);
  const { state } = ground;
  const blocks = made.map((body, index) => {
    const span = spans[index]!;
    const items = stage.layout.items.slice(span.from, span.to + 1);
    return hostBlock(items, body.body, { state, number: state.nextBlock + index, author });
  });
  const isLocal = made.some((body) => body.outcome === 'deterministic');
  return {
    blocks,
    outcome: isLocal ? ('deterministic' as const) : ('success' as const),
    escalation: made.at(-1)?.escalation ?? ('normal' as const),
    rowsDroppedWithoutSummary: made.reduce((sum, body) => sum + body.rowsDroppedWithoutSummary, 0),
  };
}
