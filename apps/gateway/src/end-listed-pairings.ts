import { accessListsOf, type AccountRef } from '@palimpsest/core';
import type { GatewayDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';

/** Whoever stands in a list is there by the list from now on: taking them off it is then enough. */
export async function endListedPairings(deps: GatewayDeps, account: AccountRef): Promise<void> {
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
