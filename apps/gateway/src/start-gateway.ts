import { type MediaFetcher, type PlatformListener, type PlatformSender } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { endListedPairings } from './end-listed-pairings.ts';
import { runMedia } from './run-media.ts';
import { runListener } from './run-listener.ts';
import { runSender } from './run-sender.ts';
import { SignDesk } from './sign-desk.ts';

/** One platform account with both halves. */
export interface Adapter {
  listener: PlatformListener;
  sender: PlatformSender;
  /** Left out: people cannot send files there. */
  media?: MediaFetcher;
}

/** A running gateway; `stop` ends intake first, then delivery. */
export interface Gateway {
  adapters: readonly Adapter[];
  stop(): Promise<void>;
}

export function startGateway(deps: GatewayDeps, adapters: readonly Adapter[]): Gateway {
  const intakeEnds = new AbortController();
  const deliveryEnds = new AbortController();
  for (const { listener } of adapters) void endListedPairings(deps, listener.account);
  const accounts = adapters.map((adapter) => ({ ...adapter, signs: new SignDesk(deps, adapter.sender) }));
  const listening = accounts.map((account) => runListener(deps, account, intakeEnds.signal));
  const fetching = adapters.flatMap(({ media }) => (media ? [runMedia(deps, media, intakeEnds.signal)] : []));
  const sending = accounts.map((account) => runSender(deps, account, deliveryEnds.signal));
  return {
    adapters,
    async stop() {
      intakeEnds.abort();
      await Promise.allSettled([...listening, ...fetching]);
      deliveryEnds.abort();
      await Promise.allSettled(sending);
    },
  };
}
