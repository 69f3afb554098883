import type { LinkStore } from '@palimpsest/core';
import type { Database } from '../database.ts';
import { issueLink } from './issue-link.ts';
import { linkedAccounts } from './linked-accounts.ts';
import { redeemLink } from './redeem-link.ts';
import { unlink } from './unlink.ts';

/** Several accounts of one person. */
export function createLinkStore(db: Database): LinkStore {
  return {
    issue: (who, chat) => issueLink(db, who, chat),
    redeem: (lease, typed) => redeemLink(db, lease, typed),
    unlink: (lease, asked) => unlink(db, lease, asked),
    others: (who) => linkedAccounts(db, who),
  };
}
