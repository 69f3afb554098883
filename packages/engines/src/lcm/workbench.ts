import type { Clock, CompressRequest, Config, LcmSummary, MessageRow } from '@palimpsest/core';
import { summaryItem, tokensOf, type ContextItem, type SweptNode } from './items.ts';
import { freshTail, type TailLimits } from './fresh-tail.ts';
import type { SourceStyle } from './leaf-source.ts';
import type { Sizes } from './sizes.ts';
import type { DeskStop, SummaryDesk } from './summary-desk.ts';

/** Texts that a sweep needs, by id; each is read when it is summarised. */
export interface Texts {
  rows(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>>;
  nodes(ids: readonly string[]): Promise<ReadonlyMap<string, LcmSummary>>;
}

export interface SweepGround {
  config: Config;
  sessionId: string;
  sizes: Sizes;
  style: SourceStyle;
  request: CompressRequest;
  /** Tokens a leaf covers now. */
  chunkTokens: number;
  /** Estimated tokens that will have come behind the tail by the time the plan is applied; 0: it is applied now. */
  toComeTokens: number;
  texts: Texts;
  desk: SummaryDesk | null;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * How much stays word for word: usual · rounds: of the newest turn its question and its newest rounds, however long it is ·
 * tight: its question and its newest step.
 */
export type TailLevel = 'usual' | 'rounds' | 'tight';

/** Why a sweep ended before nothing was left to do. */
export type SweepStop = DeskStop | { kind: 'bound'; bound: 'passes' | 'deadline' | 'aborted' };

/** The context while a sweep works on it: items are replaced here and stored later, all at once. */
export class Workbench {
  ground: SweepGround;
  items: readonly ContextItem[];
  /** Made so far, sources before what was made of them. */
  readonly made: SweptNode[] = [];
  readonly covered: number[] = [];
  passes = 0;
  savedTokens = 0;
  /** The newest text of this sweep, which the next leaf goes on from. */
  lastLeaf: string | null = null;
  stop: SweepStop | null = null;
  level: TailLevel = 'usual';
  /** Milliseconds of the clock at which this sweep ends. */
  deadlineAt: number;
  #spent: SummaryDesk['cost'] = { calls: 0, inputTokens: 0, outputTokens: 0 };
  readonly #scale: number;

  constructor(ground: SweepGround, items: readonly ContextItem[], deadlineAt: number) {
    this.ground = ground;
    this.items = items;
    this.deadlineAt = deadlineAt;
    this.#scale = scaleOf(ground, tokensOf(items));
  }

  /** Real tokens of the prompt as it is now. */
  get promptTokens(): number {
    return Math.max(
      this.ground.sizes.overheadTokens,
      Math.round(this.ground.request.promptTokens - this.savedTokens * this.#scale),
    );
  }

  get summaryTokens(): number {
    return tokensOf(this.items.filter((item) => item.kind === 'summary'));
  }

  /** Word for word; asked for anew after every change, since indexes move. */
  tail(): ReadonlySet<number> {
    const usual = tailLimits(this.ground.sizes);
    if (this.level === 'tight') return freshTail(this.items, { ...usual, ...tightest });
    const limits = tailAhead(usual, this.ground.toComeTokens);
    return freshTail(this.items, this.level === 'rounds' ? { ...limits, loopTokens: 0 } : limits);
  }

  restMs(): number {
    return Math.max(1, this.deadlineAt - this.ground.clock.now().getTime());
  }

  /** Whether one more pass may begin; notes the bound that forbids it. */
  mayPass(): boolean {
    if (this.stop) return false;
    if (this.ground.signal.aborted) this.stop = { kind: 'bound', bound: 'aborted' };
    else if (this.passes >= this.ground.config.context.lcm.max_sweep_iterations)
      this.stop = { kind: 'bound', bound: 'passes' };
    else if (this.ground.clock.now().getTime() >= this.deadlineAt)
      this.stop = { kind: 'bound', bound: 'deadline' };
    return this.stop === null;
  }

  /** The model failed: what is left is written without one. */
  goOnWithoutModel(): void {
    this.stop = null;
    this.#spent = this.ground.desk?.cost ?? this.#spent;
    this.ground = { ...this.ground, desk: null };
  }

  /** What the calls of this sweep cost. */
  get cost(): SummaryDesk['cost'] {
    return this.ground.desk?.cost ?? this.#spent;
  }

  /** Put a node in the place of `count` items from `start` on. */
  replace(start: number, count: number, node: SweptNode): void {
    const gone = this.items.slice(start, start + count);
    this.savedTokens += tokensOf(gone) - node.tokens;
    this.items = [...this.items.slice(0, start), summaryItem(node), ...this.items.slice(start + count)];
    this.made.push(node);
    this.covered.push(...node.messageIds);
  }
}

/** The tail of a context under these sizes; assembly and compaction ask the same. */
export function tailLimits(sizes: Sizes): TailLimits {
  return {
    count: sizes.tailCount,
    maxTokens: sizes.tailTokens,
    loopTokens: Math.floor(sizes.ownTokens * loopShare),
    questionTokens: Math.floor(sizes.ownTokens * questionShare),
  };
}

/**
 * The tail of a plan made ahead: what comes until it is applied belongs to the tail too, else the plan would save little by
 * then.
 */
export function tailAhead(limits: TailLimits, toComeTokens: number): TailLimits {
  if (toComeTokens === 0 || limits.maxTokens === null || limits.maxTokens === 0) return limits;
  const maxTokens = Math.max(1, limits.maxTokens - toComeTokens);
  return {
    ...limits,
    maxTokens,
    count: Math.max(1, Math.ceil((limits.count * maxTokens) / limits.maxTokens)),
  };
}

/** What the model must see to go on at all. */
const tightest = { count: 1, maxTokens: 1, loopTokens: 0 };

/** A turn over this share of the budget may be condensed behind its question. */
const loopShare = 0.6;
/** As much of an input of several messages stays word for word until it is answered. */
const questionShare = 0.5;
/** Below this the items say nothing about the ratio. */
const tellingTokens = 500;

/** Real tokens of one estimated token, as far as the size of the prompt tells. */
function scaleOf({ request, sizes }: SweepGround, itemTokens: number): number {
  if (itemTokens < tellingTokens) return 1;
  const ratio = (request.promptTokens - sizes.overheadTokens) / itemTokens;
  return Number.isFinite(ratio) ? Math.min(2, Math.max(0.5, ratio)) : 1;
}
