import type { MessageRow, Part, RowHeader } from '../message.ts';

export interface SearchScope {
  /** The session that asks; the scope is derived from its chat. */
  sessionId: string;
}

export interface SearchHit {
  sessionId: string;
  row: MessageRow;
  state: 'live' | 'archived';
  /** Neighbouring lines in seq order, the hit left out. */
  before: readonly MessageRow[];
  after: readonly MessageRow[];
  rank: number;
  /** What each row shown counts by itself and by its neighbours, by row id: which to show where there is little room. */
  nearRanks: ReadonlyMap<number, number>;
  /** Character of what the row says (`saidInParts`) at which something that was looked for stands. */
  at: number;
}

export interface PayloadText {
  text: string;
  totalBytes: number;
  /** Byte at which to go on reading. */
  nextOffset: number;
}

/** The live rows of a session in seq order: the headers of all, and the newest whole. */
export interface LiveView {
  rows: readonly RowHeader[];
  bodies: readonly MessageRow[];
}

export interface TranscriptStore {
  /** Headers of the live rows in seq order. */
  liveHeaders(sessionId: string): Promise<readonly RowHeader[]>;
  /** Headers of the live rows in seq order, and the newest `bodies` of them whole: one statement for a usual session. */
  liveView(sessionId: string, bodies: number): Promise<LiveView>;
  bodies(sessionId: string, ids: readonly number[]): Promise<readonly MessageRow[]>;
  /** The parts alone, for whoever has the headers: half of what `bodies` costs. */
  parts(sessionId: string, ids: readonly number[]): Promise<ReadonlyMap<number, readonly Part[]>>;
  /** Live rows with their parts, seq order. */
  liveRows(sessionId: string): Promise<readonly MessageRow[]>;
  /** Every row of the session in any state, seq order; pages by seq. */
  page(
    sessionId: string,
    options: {
      afterSeq: number;
      limit: number;
      states?: readonly ('live' | 'archived' | 'withdrawn')[];
      /** Only rows that this compaction archived. */
      archivedBy?: number;
    },
  ): Promise<
    readonly (MessageRow & { state: 'live' | 'archived' | 'withdrawn'; archivedBy: number | null })[]
  >;
  /** Words and "quoted phrases" over live and archived rows in scope; best first. */
  search(
    scope: SearchScope,
    query: string,
    options: { limit: number; neighbours: number; liveOfOwnSession: boolean },
  ): Promise<readonly SearchHit[]>;
  /** Neighbours of a row, itself in the middle; also of a row in another session of the asking one's scope. Empty out of scope. */
  around(sessionId: string, rowId: number, neighbours: number): Promise<readonly MessageRow[]>;
  /** Payloads of the session or one it was rotated from, whole, by id; those that are gone are left out. */
  contents(
    sessionId: string,
    payloadIds: readonly string[],
  ): Promise<ReadonlyMap<string, { mime: string; bytes: Uint8Array }>>;
  /** What is known of a payload; its id may be the beginning, as for `payload`. Null when unknown to this session. */
  payloadHead(
    sessionId: string,
    payloadId: string,
  ): Promise<{ id: string; mime: string; bytes: number } | null>;
  /**
   * A payload's text: at most `maxBytes` from byte `offset` on, whole characters; null when unknown to this session.
   * The id may be its beginning, 16 hex digits at least.
   */
  payload(
    sessionId: string,
    payloadId: string,
    slice: { offset: number; maxBytes: number },
  ): Promise<PayloadText | null>;
}
