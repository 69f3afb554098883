/** Messages and events that were given up, as workers leave them. */
import { transaction } from '../../packages/store/src/database.ts';
import { writeEvents } from '../../packages/store/src/write-events.ts';
import type { StoreWorld, TestSession } from './store-world.ts';

export async function deadMessage(
  world: StoreWorld,
  { sessionId, chat }: TestSession,
  seq = 900,
): Promise<{ sessionId: string; seq: number }> {
  await world.query(
    `INSERT INTO mailbox (session_id, seq, chat_row_id, kind, content, state, attempts, done_at)
     VALUES ($1, $3, $2, 'message', '{"kind": "message", "message": {"text": "When does the ferry go?"}}', 'dead', 3, now())`,
    [sessionId, chat.chatRowId, seq],
  );
  return { sessionId, seq };
}

/** A hook answered 500 to the start of the session, five times. */
export async function deadEvent(
  world: StoreWorld,
  { sessionId }: TestSession,
  subscriber = 'tracker',
): Promise<{ subscriber: string; id: number }> {
  await transaction(world.db, (tx) =>
    writeEvents(tx, [{ type: 'session:start', sessionId, platform: 'telegram' }]),
  );
  const [row] = await world.query<{ event_id: string }>(
    `INSERT INTO hook_deliveries (session_id, event_id, subscriber, state, attempts, problem, done_at)
     SELECT session_id, id, $2, 'dead', 5, 'answered 500', now() FROM events WHERE session_id = $1
     ORDER BY id DESC LIMIT 1 RETURNING event_id`,
    [sessionId, subscriber],
  );
  return { subscriber, id: Number(row!.event_id) };
}
