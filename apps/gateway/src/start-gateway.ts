import type { PlatformListener, PlatformSender } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { runListener } from './run-listener.ts';
import { runSender } from './run-sender.ts';

/** One platform account with both halves. */
export interface Adapter {
  listener: PlatformListener;
  sender: PlatformSender;
}

/** A running gateway; `stop` ends intake first, then delivery. */
export interface Gateway {
  adapters: readonly Adapter[];
  stop(): Promise<void>;
}

export function startGateway(deps: GatewayDeps, adapters: readonly Adapter[]): Gateway {
  const intakeEnds = new AbortController();
  const deliveryEnds = new AbortController();
  const listening = adapters.map((adapter) => runListener(deps, adapter.listener, intakeEnds.signal));
  const sending = adapters.map((adapter) => runSender(deps, adapter.sender, deliveryEnds.signal));
  return {
    adapters,
    async stop() {
      intakeEnds.abort();
      await Promise.allSettled(listening);
      deliveryEnds.abort();
      await Promise.allSettled(sending);
    },
  };
}
