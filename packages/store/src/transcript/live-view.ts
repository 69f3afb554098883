/** The live rows of a session and the texts of the newest, as a prompt needs them. */
import type { LiveView, MessageRow, Part, RowHeader } from '@palimpsest/core';
import { sql } from 'drizzle-orm';
import { type Executor, run } from '../database.ts';
import { type AsOf, SessionCache } from '../session-cache.ts';
import { headerColumns, type HeaderRecord, toHeader } from './message-record.ts';

export interface KnownView extends AsOf, LiveView {
  /** Texts that were asked for. */
  newest: number;
}

type ViewRecord = AsOf & (({ id: number; parts: Part[] | null } & Omit<HeaderRecord, 'id'>) | { id: null });

/** Memory of all that is kept, bytes, roughly. */
const mostBytes = 32_000_000;
const bytesPerToken = 4;
/** Of a header, and once more of a text, whatever it says: many short messages take more than a few long ones. */
const bytesPerRow = 400;

interface Wanted {
  sessionId: string;
  /** Rows from the end whose texts are asked for. */
  newest: number;
}

/** What this process has read of the sessions it holds. */
export class LiveViews {
  readonly #known: SessionCache<KnownView>;

  /** most  bytes at most; what takes more than a quarter of them is read anew each time */
  constructor(most = mostBytes) {
    this.#known = new SessionCache(most, bytesOf);
  }

  /**
   * One statement: rows that came since the last look, or all of them where rows were rewritten meanwhile. Sent behind the
   * other statements of its transaction; whoever is sure of the commit keeps the view.
   */
  async read(executor: Executor, { sessionId, newest }: Wanted): Promise<KnownView> {
    const found = this.#known.find(sessionId);
    const known = found && found.newest >= newest ? found : null;
    const records = await run<ViewRecord>(
      executor,
      sql`SELECT s.rewrites, ${headerColumns},
                 CASE WHEN row_number() OVER (ORDER BY m.seq DESC) <= ${newest}::int THEN m.parts END AS parts
          FROM sessions s LEFT JOIN messages m ON m.session_id = ${sessionId} AND m.active = 1
            AND m.seq > CASE WHEN s.rewrites = ${known?.rewrites ?? -1}::bigint THEN ${known?.rows.at(-1)?.seq ?? -1}::bigint ELSE -1 END
          WHERE s.id = ${sessionId} ORDER BY m.seq`,
      'live_view',
    );
    const read = viewOf(records, newest);
    return known?.rewrites === read.rewrites ? joined(known, read) : read;
  }

  keep(sessionId: string, view: KnownView): void {
    if (view.rows.length > 0) this.#known.keep(sessionId, view);
  }
}

function bytesOf({ rows, bodies }: KnownView): number {
  return bodies.reduce(
    (sum, { tokens }) => sum + bytesPerRow + bytesPerToken * tokens,
    bytesPerRow * rows.length,
  );
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
