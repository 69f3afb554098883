/** An older conversation → rows at the end of a chat's session, which is made when the chat is new. */
import { randomUUID } from 'node:crypto';
import type { HistoryStore, IntakePolicy } from '@palimpsest/core';
import { type Database, transaction } from '../database.ts';
import { lockPlaces } from '../intake/places.ts';
import { writeAction } from '../operators/write-action.ts';
import { appendRows } from '../transcript/append-rows.ts';

/** Between two looks at how far it is. */
const rowsAtOnce = 1_000;

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
    const turnId = `import-${randomUUID()}`;
    for (let step = 0; step * rowsAtOnce < input.rows.length; step++) {
      const rows = input.rows.slice(step * rowsAtOnce, (step + 1) * rowsAtOnce);
      await appendRows(tx, { sessionId, turnId, step }, rows);
      input.onProgress?.(step * rowsAtOnce + rows.length);
    }
    if (input.actor)
      await writeAction(tx, {
        actor: input.actor,
        act: 'import',
        sessionId,
        target: `${input.rows.length} messages`,
      });
    return sessionId;
  });
}
