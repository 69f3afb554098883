import type { DcpBlock, DcpEvent, DcpState } from '../dcp.ts';

/** A block as operators see it. */
export interface DcpBlockView extends Omit<DcpBlock, 'origin'> {
  /** What follows from its status and from the rows that are live now. */
  activity: 'active' | 'consumed' | 'orphaned' | 'user_off' | 'tainted' | 'reset';
  /** The youngest block that took it in. */
  consumedBy: number | null;
  /** The ledger row it came with. */
  compactionId: number | null;
  createdAt: Date;
}

/** Estimated tokens of the session's blocks that are shown, and of all it ever had. */
export interface DcpSavings {
  activeBlocks: number;
  allBlocks: number;
  /** Of what active blocks hide, directly or through blocks they took in. */
  removedTokens: number;
  /** Of the texts shown in their place. */
  summaryTokens: number;
  /** removed - summary; may be negative. */
  netTokens: number;
  /** Saved by marks on tool calls. */
  markTokens: number;
}

export interface DcpEventView extends DcpEvent {
  id: number;
  createdAt: Date;
}

/** Reads of the model-guided engine's state. Writing goes with a round or a plan, as a `DcpChange`. */
export interface DcpStore {
  /**
   * The whole state; the empty one for a session that has none. One round trip.
   * throws schema_too_new when a newer version of the program wrote it; it is then not overwritten either
   */
  load(sessionId: string): Promise<DcpState>;
  /** Ascending by number. */
  blocks(sessionId: string): Promise<readonly DcpBlockView[]>;
  savings(sessionId: string): Promise<DcpSavings>;
  /** Newest first; `kinds` left out: all. */
  events(
    sessionId: string,
    options: { limit: number; beforeId?: number; kinds?: readonly DcpEvent['kind'][] },
  ): Promise<readonly DcpEventView[]>;
}
