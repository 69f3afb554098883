/** An older conversation → rows at the end of a chat's session, which is made when the chat is new. */
import { randomUUID } from 'node:crypto';
import type { HistoryStore, IntakePolicy } from '@palimpsest/core';
import { type Database, transaction } from '../database.ts';
import { lockPlaces } from '../intake/places.ts';
import { appendRows } from '../transcript/append-rows.ts';

type Import = Parameters<HistoryStore['importRows']>[0];

export function importRows(db: Database, input: Import): Promise<string> {
  return transaction(db, async (tx) => {
    const policy: IntakePolicy = {
      account: input.account,
      engine: input.engine,
      lists: { allowAll: false, allowedUsers: [], allowedChats: [] },
      waitForMoreMs: 0,
      requireMention: false,
    };
    const places = await lockPlaces(tx, policy, { spoken: [input.place], seen: [] });
    const [place] = [...places.values()];
    const sessionId = (place as { sessionId: string }).sessionId;
    await appendRows(tx, { sessionId, turnId: `import-${randomUUID()}`, step: 0 }, input.rows);
    return sessionId;
  });
}
