/** identities, chats, sessions: what there is of a person. */
import type { Platform } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { run, type Transaction } from '../database.ts';

export interface Identity {
  platform: Platform;
  user_id: string;
}

export interface PersonGround {
  personId: number | null;
  identities: readonly Identity[];
  /** As their messages are quoted by. */
  names: readonly string[];
  directChats: readonly number[];
  directSessions: readonly string[];
  /** Groups where they spoke, with what each was rotated from and into. */
  groupSessions: readonly string[];
}

/** Null: nobody here knows that id. */
export async function personGround(tx: Transaction, who: Identity): Promise<PersonGround | null> {
  const { personId, identities, names } = await identitiesOf(tx, who);
  const named = jsonOf(identities);
  const chats = await run<{ id: number }>(
    tx,
    sql`SELECT c.id FROM chats c JOIN ${named} ON c.platform = p.platform AND c.user_id = p.user_id WHERE c.kind = 'direct'`,
    'person_chats',
  );
  const directChats = chats.map((chat) => chat.id);
  const direct = await run<{ id: string }>(
    tx,
    sql`SELECT s.id FROM sessions s WHERE s.chat_kind = 'direct' AND (
          s.chat_row_id IN (SELECT c.id FROM chats c WHERE c.id = ANY(${sql.param(directChats)}::bigint[])
            OR c.alias_of = ANY(${sql.param(directChats)}::bigint[]))
          OR s.id IN (SELECT c.session_id FROM chats c WHERE c.id = ANY(${sql.param(directChats)}::bigint[])))`,
    'person_direct_sessions',
  );
  const spoken = await run<{ id: string }>(
    tx,
    sql`SELECT s.id FROM sessions s WHERE s.id IN (
          SELECT m.session_id FROM messages m JOIN ${named} ON m.sender_id = p.user_id
          JOIN sessions o ON o.id = m.session_id AND o.platform = p.platform
          UNION SELECT b.session_id FROM mailbox b JOIN ${named} ON b.sender_id = p.user_id
          JOIN sessions o ON o.id = b.session_id AND o.platform = p.platform)`,
    'person_group_sessions',
  );
  const directSessions = direct.map((session) => session.id);
  const known = new Set(directSessions);
  const groupSessions = spoken.map((session) => session.id).filter((id) => !known.has(id));
  if (personId === null && directChats.length === 0 && groupSessions.length === 0) return null;
  return { personId, identities, names, directChats, directSessions, groupSessions };
}

/** To be joined as `p`. */
export function jsonOf(identities: readonly Identity[]) {
  return sql`jsonb_to_recordset(${JSON.stringify(identities)}::jsonb) AS p(platform text, user_id text)`;
}

async function identitiesOf(
  tx: Transaction,
  who: Identity,
): Promise<Pick<PersonGround, 'personId' | 'identities' | 'names'>> {
  const rows = await run<Identity & { person_id: number; name: string }>(
    tx,
    sql`SELECT i.platform, i.user_id, i.person_id, i.name FROM identities o JOIN identities i ON i.person_id = o.person_id
        WHERE o.platform = ${who.platform} AND o.user_id = ${who.user_id}`,
    'person_identities',
  );
  const linked = rows.map(({ platform, user_id }) => ({ platform, user_id }));
  return {
    personId: rows[0]?.person_id ?? null,
    identities: linked.length > 0 ? linked : [who],
    names: rows.map((row) => row.name).filter((name) => name !== ''),
  };
}
