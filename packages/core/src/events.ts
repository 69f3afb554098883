import type { DescribedEvent } from './event-schemas.ts';
import type { FellBack, ProviderCompaction } from './ports/model.ts';
import type { Layer, Outcome, Trigger, CompactionFigures } from './ledger.ts';
import type { Platform } from './chat.ts';

/** Written in the transaction of what it speaks of. In place: `inPlace` true and `oldSessionId` ''. */
export interface SessionCompressEvent {
  type: 'session:compress';
  sessionId: string;
  oldSessionId: string;
  inPlace: boolean;
  platform: Platform;
  engine: string;
  layer: Layer;
  trigger: Trigger;
  outcome: Outcome;
  compactionId: number;
  compactionCount: number;
  figures: CompactionFigures;
  /** Set where the provider condensed its own view: `inPlace` is false then, `oldSessionId` '', and no row changed. */
  provider?: ProviderCompaction;
}

export type GatewayEvent =
  | SessionCompressEvent
  | { type: 'session:start'; sessionId: string; platform: Platform }
  /** Another model answers the turn from here on and reads about so many tokens anew. */
  | ({ type: 'model:fallback'; sessionId: string; turnId: string; promptTokens: number } & FellBack)
  | { type: 'session:reset'; sessionId: string; oldSessionId: string; platform: Platform }
  /** Something was erased, or exported by an operator; whose, and what it said, is not told. */
  | {
      type: 'session:erase';
      sessionId: string;
      platform: Platform;
      scope: 'message' | 'session' | 'person';
      messages: number;
      summaries: number;
      /** Of the session, with the erasure: what was made from an older one may hold what was erased. */
      revision: number;
    }
  | { type: 'session:export'; sessionId: string; platform: Platform }
  | DescribedEvent;

/** As hooks ask for them; `command:*` is every command. */
export const eventTypes = [
  'session:compress',
  'session:start',
  'session:reset',
  'session:erase',
  'session:export',
  'model:fallback',
  'session:end',
  'agent:start',
  'agent:step',
  'agent:end',
  'command:*',
] as const satisfies readonly GatewayEvent['type'][];
