/** One session, with those it was rotated from and into. */
import { GatewayError, type ErasedCounts } from '@palimpsest/core';
import { type Database, transaction } from '../database.ts';
import { writeErasure } from './close-erasure.ts';
import { lockSessions, withFamily } from './lock-sessions.ts';
import { wipeSessions } from './wipe-sessions.ts';

export function eraseSession(db: Database, sessionId: string): Promise<ErasedCounts> {
  return transaction(db, async (tx) => {
    const sessions = await lockSessions(tx, await withFamily(tx, [sessionId]));
    if (sessions.length === 0)
      throw new GatewayError('row_missing', `there is no session ${sessionId}; \`session list\` shows them`);
    const counts = await wipeSessions(tx, { sessionIds: sessions.map(({ id }) => id), own: null });
    await writeErasure(
      tx,
      sessions.map(({ id }) => id),
      { scope: 'session', counts },
    );
    return counts;
  });
}
