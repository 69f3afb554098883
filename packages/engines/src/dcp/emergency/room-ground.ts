import type { Clock, CompressRequest, DcpRef, DcpState, Summariser, TranscriptView } from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import type { DcpLayout } from '../transform/lay-out.ts';
import type { DcpSizes } from '../transform/measure.ts';

export interface RoomHelp {
  summariser: Summariser;
  clock: Clock;
  signal: AbortSignal;
}

export interface RoomGround {
  view: TranscriptView;
  request: CompressRequest;
  /** With a ref for every unit; `refs` are those of them that are not stored yet. */
  state: DcpState;
  refs: readonly DcpRef[];
  config: DcpConfig;
}

/** hygiene: before it gets tight · emergency: the prompt does not fit, or the provider refused it. */
export type RoomCause = 'hygiene' | 'emergency';

/** The state as one step after the other leaves it, and what the prompt weighs with it. */
export interface RoomStage {
  state: DcpState;
  layout: DcpLayout;
  sizes: DcpSizes;
  /** Real tokens of the prompt. */
  promptTokens: number;
}

/** Real tokens of one estimated token of the conversation. */
export function scaleOf({ request }: RoomGround, sizes: Pick<DcpSizes, 'tokens'>): number {
  const real = request.promptTokens - request.budget.overheadTokens;
  return sizes.tokens === 0 ? 1 : Math.min(2.5, Math.max(0.5, real / sizes.tokens));
}

/** Length of a summary of the service, by the config and by the window. */
export function summaryTokensOf({ config, request }: RoomGround): number {
  return Math.max(
    200,
    Math.min(config.emergency.summaryTokens, Math.floor(request.budget.windowTokens * 0.08)),
  );
}
