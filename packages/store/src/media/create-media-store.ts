/** Files that people sent: which are to be fetched, and what became of them. */
import type { MediaStore } from '@palimpsest/core';
import type { Database } from '../database.ts';
import { settleMedia } from './settle-media.ts';
import { takeMedia } from './take-media.ts';

export function createMediaStore(db: Database): MediaStore {
  return {
    take: (account, options) => takeMedia(db, account, options),
    settle: (task, settled, replies) => settleMedia(db, task, { settled, replies }),
  };
}
