/** pairings → identities: two accounts become one person, and the chat that typed the code goes on in the other's conversation. */
import type { Account, Lease, Linked, LinkStore } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run, runOne, transaction, type Transaction } from '../database.ts';
import { moveToSession } from '../turns/resume-session.ts';
import { forgetFailures, lockedMinutes, noteFailure } from './attempt-limit.ts';
import { linkedAccounts } from './linked-accounts.ts';
import { joinPeople } from './join-people.ts';
import { findCode } from './one-time-code.ts';

interface CodeRecord {
  code_hash: string;
  platform: Account['platform'];
  user_id: string;
  chat_row_id: number;
}

/** See the port. Wrong codes are counted for the account that types them. */
export function redeemLink(
  db: Database,
  lease: Lease,
  typed: Parameters<LinkStore['redeem']>[1],
): Promise<Linked> {
  const { who, code } = typed;
  const limit = `link-${who.platform}-${who.userId}`;
  return transaction(db, async (tx) => {
    const minutes = await lockedMinutes(tx, limit);
    if (minutes > 0) return { kind: 'locked', minutes };
    const found = findCode(await openCodes(tx), code);
    if (found === null) return { kind: 'unknown', left: await noteFailure(tx, limit) };
    await forgetFailures(tx, limit);
    const sessionId = await sessionOf(tx, found.chat_row_id);
    const isOwn = found.platform === who.platform && found.user_id === who.userId;
    if (isOwn || sessionId === null) return { kind: 'own' };
    const linked: Linked = { kind: 'linked', platform: found.platform, sessionId };
    // Identities first, then chats and sessions: the order in which intake locks them.
    const before = await linkedAccounts(tx, who);
    const isKnown = before.some(
      ({ platform, userId }) => platform === found.platform && userId === found.user_id,
    );
    if (!isKnown)
      await joinPeople(tx, { kept: { platform: found.platform, userId: found.user_id }, gone: who });
    await moveToSession(tx, lease, { row: typed.row, targetId: sessionId, replies: typed.replies(linked) });
    await run(tx, sql`UPDATE pairings SET used_at = now() WHERE code_hash = ${found.code_hash}`, 'use_link');
    return linked;
  });
}

function openCodes(tx: Transaction): Promise<CodeRecord[]> {
  return run<CodeRecord>(
    tx,
    sql`SELECT code_hash, platform, user_id, chat_row_id FROM pairings
        WHERE purpose = 'link' AND used_at IS NULL AND expires_at > now()`,
    'open_links',
  );
}

async function sessionOf(tx: Transaction, chatRowId: number): Promise<string | null> {
  const row = await runOne<{ session_id: string | null }>(
    tx,
    sql`SELECT session_id FROM chats WHERE id = ${chatRowId}::bigint`,
    'link_session',
  );
  return row?.session_id ?? null;
}
