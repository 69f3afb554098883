import type { ActionStore } from '@palimpsest/core';
import { type Database, transaction } from '../database.ts';
import { dropMessage, retryMessage } from './dead-messages.ts';
import { dropDelivery, retryDelivery } from './deliveries.ts';
import { releaseLease, resetBreaker, resetRests } from './release.ts';
import { insertRequest } from './requests.ts';
import { writeAction } from './write-action.ts';

/** What operators change, each with the row that says who did it. */
export function createActionStore(db: Database): ActionStore {
  return {
    note: (note) => writeAction(db, note),
    request: (sessionId, { command, act, actor, target }) =>
      transaction(db, async (tx) => {
        const request = await insertRequest(tx, sessionId, command);
        await writeAction(tx, { actor, act, sessionId, target: target ?? `request ${request.seq}` });
        return request;
      }),
    resetRests: (sessionId, actor) => resetRests(db, sessionId, actor),
    resetBreaker: (which, actor) => resetBreaker(db, which, actor),
    releaseLease: (sessionId, actor) => releaseLease(db, sessionId, actor),
    retryDelivery: (id, actor) => retryDelivery(db, id, actor),
    dropDelivery: (id, actor) => dropDelivery(db, id, actor),
    retryMessage: (which, actor) => retryMessage(db, which, actor),
    dropMessage: (which, actor) => dropMessage(db, which, actor),
  };
}
