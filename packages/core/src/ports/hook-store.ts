import type { Actor } from './action-store.ts';
import type { GatewayEvent } from '../events.ts';

/** `events` empty: all of them. */
export interface HookSubscriber {
  name: string;
  events: readonly GatewayEvent['type'][];
}

/** One event on its way to one subscriber. */
export interface HookDelivery {
  sessionId: string;
  eventId: number;
  subscriber: string;
  /** Attempts that failed so far. */
  attempts: number;
  event: GatewayEvent;
  createdAt: Date;
}

export interface DeadHookDelivery extends Omit<HookDelivery, 'event'> {
  type: GatewayEvent['type'];
  problem: string | null;
}

export type HookDeliveryKey = Pick<HookDelivery, 'sessionId' | 'eventId' | 'subscriber'>;

/** Events on their way to hooks: one row an event and subscriber, written with the event. */
export interface HookStore {
  /** These and no others hear of events from now on; what waits for one that is gone becomes a dead letter. */
  subscribe(subscribers: readonly HookSubscriber[]): Promise<void>;
  /** Of each session and subscriber the oldest event that waits, if it is due; oldest first. */
  due(limit: number): Promise<readonly HookDelivery[]>;
  delivered(key: HookDeliveryKey): Promise<void>;
  /** `retryInMs` null: given up, a dead letter. */
  failed(key: HookDeliveryKey, end: { problem: string; retryInMs: number | null }): Promise<void>;
  /** Given up, newest first. */
  dead(limit: number): Promise<readonly DeadHookDelivery[]>;
  /** Try a dead one again, or say that nobody will; false: there is none of that event and subscriber. */
  settleDead(
    which: Pick<HookDelivery, 'eventId' | 'subscriber'>,
    wish: 'retry' | 'drop',
    actor: Actor,
  ): Promise<boolean>;
}
