import {
  accessListsOf,
  type MediaFetcher,
  type PlatformListener,
  type PlatformSender,
} from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { problemOf } from './intake.ts';
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
  for (const { listener } of adapters) void endListedPairings(deps, listener);
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

/** Whoever stands in a list is there by the list from now on: taking them off it is then enough. */
async function endListedPairings(deps: GatewayDeps, { account }: PlatformListener): Promise<void> {
  const { allowedUsers, groupUsers } = accessListsOf(deps.config, account.platform);
  try {
    await deps.store.access?.endPairings(account.platform, [...allowedUsers, ...(groupUsers ?? [])]);
  } catch (thrown) {
    deps.logger.warn(
      { platform: account.platform, problem: problemOf(thrown) },
      'older pairings of people in the lists were not ended; the next start does it',
    );
  }
}
