/** The live rows of a session and the texts of the newest, as a prompt needs them. */
import type { MessageRow, Part, RowHeader } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Database, run } from '../database.ts';
import { type AsOf, SessionCache } from '../session-cache.ts';
import { headerColumns, type HeaderRecord, toHeader } from './message-record.ts';

interface KnownView extends AsOf {
  rows: readonly RowHeader[];
  bodies: readonly MessageRow[];
  /** Texts that were asked for. */
  newest: number;
}

type ViewRecord = AsOf & (({ id: number; parts: Part[] | null } & Omit<HeaderRecord, 'id'>) | { id: null });

/** Tokens of all texts kept, about four characters each. */
const mostTokens = 4_000_000;

export type LiveViews = SessionCache<KnownView>;

export function openLiveViews(): LiveViews {
  return new SessionCache(mostTokens, ({ bodies }) => bodies.reduce((sum, row) => sum + row.tokens, 0));
}

/** One statement: rows that came since the last look, or all of them where rows were rewritten meanwhile. */
export async function liveView(
  db: Database,
  views: LiveViews,
  wanted: { sessionId: string; newest: number },
): Promise<{ rows: readonly RowHeader[]; bodies: readonly MessageRow[] }> {
  const { sessionId, newest } = wanted;
  const found = views.find(sessionId);
  const known = found && found.newest >= newest ? found : null;
  const records = await run<ViewRecord>(
    db,
    sql`SELECT s.rewrites, ${headerColumns},
               CASE WHEN row_number() OVER (ORDER BY m.seq DESC) <= ${newest}::int THEN m.parts END AS parts
        FROM sessions s LEFT JOIN messages m ON m.session_id = ${sessionId} AND m.active = 1
          AND m.seq > CASE WHEN s.rewrites = ${known?.rewrites ?? -1}::bigint THEN ${known?.rows.at(-1)?.seq ?? -1}::bigint ELSE -1 END
        WHERE s.id = ${sessionId} ORDER BY m.seq`,
    'live_view',
  );
  const [first] = records;
  if (!first) return { rows: [], bodies: [] };
  const read = viewOf(records, newest);
  const view = known?.rewrites === first.rewrites ? joined(known, read) : read;
  views.keep(sessionId, view);
  return view;
}

function viewOf(records: readonly ViewRecord[], newest: number): KnownView {
  const rows: RowHeader[] = [];
  const bodies: MessageRow[] = [];
  for (const record of records) {
    if (record.id === null) continue;
    const header = toHeader(record);
    rows.push(header);
    if (record.parts !== null) bodies.push({ ...header, parts: record.parts });
  }
  return { rewrites: records[0]?.rewrites ?? 0, rows, bodies, newest };
}

function joined(known: KnownView, since: KnownView): KnownView {
  if (since.rows.length === 0) return known;
  return { ...known, rows: [...known.rows, ...since.rows], bodies: [...known.bodies, ...since.bodies] };
}
