/** pairings → access_grants: an operator lets somebody in by the code they were shown. */
import type { AccountRef, Approval, NewReply, PendingPairing, Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { chatTargetColumns, type ChatTargetRecord, toChatTarget } from '../chat-target.ts';
import { type Database, run, transaction, type Transaction } from '../database.ts';
import { writeReplies } from '../write-replies.ts';
import { forgetFailures, lockedMinutes, noteFailure } from './attempt-limit.ts';
import { findCode } from './one-time-code.ts';

interface PairingRecord extends ChatTargetRecord {
  code_hash: string;
  platform: Platform;
  user_id: string;
  session_id: string | null;
}

/** Five wrong codes lock approvals for an hour. `text` is what the person is told. */
export function approvePairing(db: Database, typed: string, text: string): Promise<Approval> {
  return transaction(db, async (tx) => {
    const minutes = await lockedMinutes(tx, 'approve');
    if (minutes > 0) return { kind: 'locked', minutes };
    const found = findCode(await openPairings(tx), typed);
    if (found === null) return { kind: 'unknown', left: await noteFailure(tx, 'approve') };
    await forgetFailures(tx, 'approve');
    await run(
      tx,
      sql`UPDATE pairings SET used_at = now() WHERE code_hash = ${found.code_hash}`,
      'use_pairing',
    );
    await run(
      tx,
      sql`INSERT INTO access_grants (platform, kind, id, access) VALUES (${found.platform}, 'user', ${found.user_id}, 'paired')
          ON CONFLICT DO NOTHING`,
      'grant_paired',
    );
    const account = await tell(tx, found, text);
    return { kind: 'approved', platform: found.platform, userId: found.user_id, account };
  });
}

function openPairings(tx: Transaction): Promise<PairingRecord[]> {
  return run<PairingRecord>(
    tx,
    sql`SELECT p.code_hash, p.platform, p.user_id, c.session_id, ${chatTargetColumns}
        FROM pairings p JOIN chats c ON c.id = p.chat_row_id
        WHERE p.purpose = 'access' AND p.used_at IS NULL AND p.expires_at > now() FOR UPDATE OF p`,
    'open_pairings_to_approve',
  );
}

async function tell(tx: Transaction, found: PairingRecord, text: string): Promise<AccountRef> {
  const chat = toChatTarget(found);
  const reply: NewReply = { key: `paired-${found.code_hash.slice(0, 16)}`, chat, kind: 'notice', text };
  if (found.session_id !== null) await writeReplies(tx, found.session_id, [reply]);
  return chat.account;
}

/** Who waits for an operator; their codes are known to them alone. */
export async function pendingPairings(db: Database): Promise<readonly PendingPairing[]> {
  const records = await run<{ platform: Platform; user_id: string; created_at: Date; expires_at: Date }>(
    db,
    sql`SELECT platform, user_id, created_at, expires_at FROM pairings
        WHERE purpose = 'access' AND used_at IS NULL AND expires_at > now() ORDER BY created_at`,
    'pending_pairings',
  );
  return records.map((record) => ({
    platform: record.platform,
    userId: record.user_id,
    askedAt: record.created_at,
    expiresAt: record.expires_at,
  }));
}
