import type { AccessStore } from '@palimpsest/core';
import type { Database } from '../database.ts';
import { approvePairing, pendingPairings } from './approve-pairing.ts';
import { endPairings, forgetGrant } from './end-grants.ts';
import { fatesOf } from './fates.ts';

/** Who may talk to the bot: codes, grants, and why a message went no further. */
export function createAccessStore(db: Database): AccessStore {
  return {
    approve: (code, text) => approvePairing(db, code, text),
    pending: () => pendingPairings(db),
    forget: (entry) => forgetGrant(db, entry),
    endPairings: (platform, listed) => endPairings(db, platform, listed),
    fates: (asked) => fatesOf(db, asked),
  };
}
