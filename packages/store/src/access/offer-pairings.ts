/** pairings: strangers who write directly get a one-time code for the operator, within limits. */
import type { ChatPlace, IntakePolicy, Sender } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';
import { writeReplies } from '../write-replies.ts';
import { newCode } from './one-time-code.ts';

const validMinutes = 60;
/** One request a person in this time; what they write meanwhile is turned away in silence. */
const quietMinutes = 10;
/** Codes that wait on one platform. */
const mostPending = 3;

/** A stranger and where they wrote. */
export interface Stranger {
  chat: ChatPlace;
  sender: Sender;
}

export interface OfferedCode extends Stranger {
  code: string;
  stored: string;
}

/**
 * Those of the strangers who get a code now, the first of each. Intake asks before it locks chats, and holds off other
 * intakes of the platform that would offer codes until its end, so that the limits hold.
 */
export async function offerPairings(
  tx: Transaction,
  policy: IntakePolicy,
  strangers: readonly Stranger[],
): Promise<readonly OfferedCode[]> {
  if (strangers.length === 0) return [];
  const { platform } = policy.account;
  await run(
    tx,
    sql`SELECT pg_advisory_xact_lock(hashtext('palimpsest-pairing'), hashtext(${platform}))`,
    'pairing_lock',
  );
  const open = await run<{ user_id: string; is_fresh: boolean }>(
    tx,
    sql`SELECT user_id, created_at > now() - ${quietMinutes} * interval '1 minute' AS is_fresh FROM pairings
        WHERE platform = ${platform} AND purpose = 'access' AND used_at IS NULL AND expires_at > now()`,
    'open_pairings',
  );
  const fresh = new Set(open.filter((row) => row.is_fresh).map((row) => row.user_id));
  const waiting = new Set(open.map((row) => row.user_id));
  const offered: OfferedCode[] = [];
  for (const stranger of strangers) {
    const { id } = stranger.sender;
    if (fresh.has(id) || (!waiting.has(id) && waiting.size >= mostPending)) continue;
    fresh.add(id);
    waiting.add(id);
    offered.push({ ...stranger, ...newCode() });
  }
  return offered;
}

/** Keep the codes and tell them, each in its chat; an older code of the same person no longer counts. */
export async function writePairings(
  tx: Transaction,
  policy: IntakePolicy,
  offered: readonly (OfferedCode & { chatRowId: number; sessionId: string })[],
): Promise<void> {
  const { account, pairingText } = policy;
  for (const { sender, chat, chatRowId, sessionId, code, stored } of offered) {
    await run(
      tx,
      sql`WITH older AS (DELETE FROM pairings WHERE platform = ${account.platform} AND user_id = ${sender.id}
            AND purpose = 'access' AND used_at IS NULL)
          INSERT INTO pairings (code_hash, purpose, platform, user_id, chat_row_id, expires_at)
          VALUES (${stored}, 'access', ${account.platform}, ${sender.id}, ${chatRowId}::bigint,
                  now() + ${validMinutes} * interval '1 minute')`,
      'write_pairing',
    );
    const text = pairingText?.(code, sender.language) ?? '';
    await writeReplies(tx, sessionId, [
      {
        key: `pairing-${stored.slice(0, 16)}`,
        chat: { chatRowId, account, place: chat },
        kind: 'notice',
        text,
      },
    ]);
  }
}
