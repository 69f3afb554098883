import type { BoardStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { activity } from './activity.ts';
import { brakes } from './brakes.ts';
import { compactionBoard } from './compaction-board.ts';
import { deadMessage, deadMessages } from './dead-messages.ts';
import { deliveries, delivery } from './deliveries.ts';
import { sessionHold } from './session-hold.ts';
import { replacedRanges } from './replaced-ranges.ts';
import { keptRows } from './kept-rows.ts';
import { summaryPair } from './summary-pair.ts';
import { writtenCounts } from './written-counts.ts';
import { recentActions, recentEvents } from './recent-events.ts';

/** What the boards of operators show beside single sessions. */
export function createBoardStore(db: Database): BoardStore {
  return {
    activity: () => activity(db),
    compactions: (range) => compactionBoard(db, range),
    brakes: (triggerTokens) => brakes(db, triggerTokens),
    events: (wish) => recentEvents(db, wish),
    actions: (wish) => recentActions(db, wish),
    deliveries: (wish) => deliveries(db, wish),
    delivery: (id) => delivery(db, id),
    deadMessages: (limit) => deadMessages(db, limit),
    deadMessage: (which) => deadMessage(db, which),
    replacedRanges: (sessionId, ids) => replacedRanges(db, sessionId, ids),
    writtenCounts: (sessionId, ids) => writtenCounts(db, sessionId, ids),
    keptRows: (sessionId, id) => keptRows(db, sessionId, id),
    summaryPair: (sessionId, id) => summaryPair(db, sessionId, id),
    sessionHold: (sessionId) => sessionHold(db, sessionId),
    accounts: () => accounts(db),
  };
}

async function accounts(db: Database): Promise<readonly string[]> {
  // Accounts are few and chats many: each step of the recursion finds the next account in the unique index.
  const rows = await run<{ account: string }>(
    db,
    sql`WITH RECURSIVE known AS (
        (SELECT platform, account FROM chats ORDER BY platform, account LIMIT 1)
        UNION ALL
        SELECT next.platform, next.account FROM known CROSS JOIN LATERAL (
          SELECT c.platform, c.account FROM chats c WHERE (c.platform, c.account) > (known.platform, known.account)
          ORDER BY c.platform, c.account LIMIT 1
        ) next
      )
      SELECT platform || '-' || account AS account FROM known`,
  );
  return rows.map(({ account }) => account);
}
