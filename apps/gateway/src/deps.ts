import type { Clock, Config, Logger, Meter, Queue, Store, Tracer } from '@palimpsest/core';

/** What the platform edge needs; it holds bot tokens (inside the adapters) and no model key. */
export interface GatewayDeps {
  store: Pick<Store, 'intake' | 'media' | 'outbox' | 'leases'> & {
    transcript: Pick<Store['transcript'], 'contents'>;
  } & Partial<Pick<Store, 'access'>>;
  queue: Pick<Queue, 'wake' | 'deliver' | 'workDeliveries' | 'fetchMedia' | 'workMedia'>;
  config: Config;
  clock: Clock;
  logger: Logger;
  meter: Meter;
  /** Left out: nothing is traced. */
  tracer?: Tracer;
  /** Name of this process in lease rows; unique. */
  owner: string;
}
