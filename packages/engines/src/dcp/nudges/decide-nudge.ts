import {
  never,
  type DcpGrant,
  type DcpNudgeKind,
  type DcpNudgeLevel,
  type DcpNudgeState,
  type DcpState,
} from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import type { NudgeLimits } from './limits.ts';
import type { NudgeWords } from './nudge-text.ts';

/** What a request looks like just before it is sent. */
export interface NudgeSituation {
  /** Tokens of the prompt; 0: not known until the next answer. */
  usageTokens: number;
  /** null: the window is not known. */
  limits: NudgeLimits | null;
  lastUnit: 'person' | 'steps' | 'other';
  hasAnswer: boolean;
  /** Steps of the model since the person's newest message. */
  stepsSincePerson: number;
  /** The newest step made a block. */
  justCompressed: boolean;
  /** One to three parts worth compressing; empty: none would gain enough. */
  spans: readonly string[];
  /** Blocks in force, by ref. */
  blocks: readonly string[];
}

/** `nudge` and `grant` are left out where they stay as they are. */
export interface NudgeDecision {
  words: NudgeWords | null;
  nudge?: DcpNudgeState;
  grant?: DcpGrant | null;
}

type Kind = Exclude<DcpNudgeKind, 'manual'>;

/** Each failed attempt in a row doubles the distance to the next nudge, up to this many times. */
const mostDoublings = 4;

/**
 * Whether the model is asked to compress with this request, and how firmly.
 *
 *   a person asked ───────────────────────────────── manual, once
 *   no tool, ask, manual mode, just compressed ───── nothing
 *   below min, size unknown, nothing to gain ─────── nothing
 *   above max ────────────────────────────────────── context_limit; firmer each time it is passed over
 *   between, a message of the person is last ─────── turn
 *   between, many steps since the last message ───── iteration
 */
export function decideNudge(
  state: Pick<DcpState, 'nudge' | 'grant' | 'manualMode'>,
  situation: NudgeSituation,
  config: DcpConfig,
): NudgeDecision {
  if (config.compress.permission === 'deny') return { words: null };
  if (state.grant && !state.grant.isShown) return manualNudge(state.grant, situation);
  const decision = decideUnasked(state, situation, config);
  // The word of a person is for the turn in which it was passed on.
  const isOver = state.grant !== null && situation.lastUnit === 'person';
  return isOver ? { ...decision, grant: null } : decision;
}

function decideUnasked(
  state: Pick<DcpState, 'nudge' | 'manualMode'>,
  situation: NudgeSituation,
  config: DcpConfig,
): NudgeDecision {
  const isQuiet = config.compress.permission === 'ask' || state.manualMode;
  if (isQuiet || situation.justCompressed) return { words: null };
  const kind = kindOf(situation, config);
  if (!kind || situation.spans.length === 0) return later(state.nudge, situation);
  if (!isDue(state.nudge, kind, config)) return later(state.nudge, situation);
  const level = nextLevel(state.nudge, kind, config);
  const { spans, blocks } = situation;
  return {
    words: { kind, level, spans, blocks, focus: '' },
    nudge: { ...state.nudge, level, lastKind: kind, callsSinceNudge: 0, restCalls: 0 },
  };
}

/** After an attempt of the model to compress: no level any more, and after a failure a longer rest, never a shorter one. */
export function nudgeAfterAttempt(
  nudge: DcpNudgeState,
  succeeded: boolean,
  config: DcpConfig,
): DcpNudgeState {
  const failedAttempts = succeeded ? 0 : nudge.failedAttempts + 1;
  const rest = succeeded ? 0 : intervalOf(failedAttempts, config);
  return {
    level: 'none',
    lastKind: null,
    callsSinceNudge: 0,
    restCalls: succeeded ? 0 : Math.max(rest, nudge.restCalls),
    failedAttempts,
  };
}

/** One step up where the service had to act: the next nudge above the limit is firmer, and waits only after a failure. */
export function raisedNudge(nudge: DcpNudgeState): DcpNudgeState {
  const level = nudge.level === 'none' ? 'soft' : above(nudge.level);
  const callsSinceNudge = nudge.failedAttempts > 0 ? nudge.callsSinceNudge : manyCalls;
  return { ...nudge, level, lastKind: 'context_limit', callsSinceNudge };
}

/** Far more than any interval: the next nudge need not wait. */
const manyCalls = 1_000;

function manualNudge(grant: DcpGrant, { spans, blocks }: NudgeSituation): NudgeDecision {
  return {
    words: { kind: 'manual', level: 'strong', spans, blocks, focus: grant.focus ?? '' },
    grant: { ...grant, isShown: true },
  };
}

function kindOf(situation: NudgeSituation, config: DcpConfig): Kind | null {
  const { usageTokens, limits, lastUnit, hasAnswer, stepsSincePerson } = situation;
  if (!limits || usageTokens === 0 || usageTokens < limits.minTokens) return null;
  if (usageTokens > limits.maxTokens) return 'context_limit';
  if (lastUnit === 'person') return hasAnswer ? 'turn' : null;
  return stepsSincePerson >= config.compress.iterationNudgeThreshold ? 'iteration' : null;
}

/** Enough model calls since the last one; the limit itself does not wait for a gentler kind. */
function isDue(nudge: DcpNudgeState, kind: Kind, config: DcpConfig): boolean {
  if (nudge.restCalls > 0) return false;
  if (nudge.lastKind === null) return true;
  if (kind === 'context_limit' && nudge.lastKind !== 'context_limit') return true;
  return nudge.callsSinceNudge + 1 >= intervalOf(nudge.failedAttempts, config);
}

function intervalOf(failedAttempts: number, { compress }: DcpConfig): number {
  return compress.nudgeFrequency * 2 ** Math.min(failedAttempts, mostDoublings);
}

/** Only what says that the limit is passed grows firmer; an attempt of the model sets it back. */
function nextLevel(nudge: DcpNudgeState, kind: Kind, { compress }: DcpConfig): NudgeWords['level'] {
  const least = compress.nudgeForce;
  if (kind !== 'context_limit' || nudge.lastKind !== 'context_limit' || nudge.level === 'none') return least;
  const next = above(nudge.level);
  return next === 'soft' ? least : next;
}

function above(level: Exclude<DcpNudgeLevel, 'none'>): Exclude<DcpNudgeLevel, 'none'> {
  switch (level) {
    case 'soft':
      return 'strong';
    case 'strong':
    case 'emergency':
      return 'emergency';
    default:
      return never(level);
  }
}

/** One more model call without a nudge; below the lower limit the gentle kinds begin anew. */
function later(nudge: DcpNudgeState, { usageTokens, limits }: NudgeSituation): NudgeDecision {
  const restCalls = Math.max(0, nudge.restCalls - 1);
  const isBelow = limits !== null && usageTokens > 0 && usageTokens < limits.minTokens;
  const forgets = isBelow && (nudge.lastKind === 'turn' || nudge.lastKind === 'iteration');
  const lastKind = forgets ? null : nudge.lastKind;
  const callsSinceNudge = lastKind === null ? 0 : Math.min(manyCalls, nudge.callsSinceNudge + 1);
  const next = { ...nudge, lastKind, callsSinceNudge, restCalls };
  const isSame =
    next.lastKind === nudge.lastKind &&
    next.callsSinceNudge === nudge.callsSinceNudge &&
    next.restCalls === nudge.restCalls;
  return isSame ? { words: null } : { words: null, nudge: next };
}
