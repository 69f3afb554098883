/** What the lossless engine's tools ask of the store and get back. */
import type { LcmFile, LcmSummary, LcmSummaryHead } from './lcm.ts';
import type { RowKind, Role } from './message.ts';

/** Who asks. Sessions are derived on the server from its chat; a named one outside of them is as if it did not exist. */
export interface LcmScope {
  sessionId: string;
  /** Look only into this session of the scope. */
  onlySessionId?: string;
}

export interface LcmGrep {
  query: string;
  mode: 'full_text' | 'regex';
  messages: boolean;
  summaries: boolean;
  /** 1 to 100. */
  limit: number;
  /** Inclusive. */
  since?: Date;
  /** Exclusive. */
  before?: Date;
  /** relevance and hybrid only in full_text. */
  sort: 'recency' | 'relevance' | 'hybrid';
}

interface LcmHit {
  sessionId: string;
  /** At most 200 characters around the first hit. */
  snippet: string;
  /** 0 where nothing is ranked: by recency, and in regex mode. */
  rank: number;
}

export interface LcmMessageHit extends LcmHit {
  kind: 'message';
  messageId: number;
  seq: number;
  role: Role;
  rowKind: RowKind;
  sender: string | null;
  sentAt: Date;
  state: 'live' | 'archived';
  /** The leaf that covers it. */
  coveredBy: string | null;
}

export interface LcmSummaryHit extends LcmHit {
  kind: 'summary';
  summary: LcmSummaryHead;
}

export type LcmRefusal =
  | { kind: 'refused'; reason: 'empty_query' | 'query_too_long' | 'unsafe_regex' | 'bad_regex' | 'too_slow' }
  /** The pattern looks like a regular expression but the mode is full_text. */
  | { kind: 'refused'; reason: 'regex_in_full_text' };

/** `scanned`: rows a regular expression was tried on; `isCut`: older ones were left out. */
export interface LcmGrepFound {
  kind: 'found';
  hits: readonly (LcmMessageHit | LcmSummaryHit)[];
  scanned: number;
  isCut: boolean;
  /** No row holds all words of a long query: these hold the most telling ones, best first. */
  isPartial?: boolean;
}

export interface LcmFileGrep {
  query: string;
  mode: 'full_text' | 'regex';
  /** Empty = every file in scope, newest first. */
  fileIds: readonly string[];
  limit: number;
}

export interface LcmFileHit {
  sessionId: string;
  fileId: string;
  name: string;
  /** 1-based. */
  line: number;
  /** UTF-8 byte of the line's beginning. */
  byteOffset: number;
  /** The line, at most 200 characters around the hit. */
  snippet: string;
}

export interface LcmFilesFound {
  kind: 'found';
  hits: readonly LcmFileHit[];
  filesSearched: number;
  /** Files that are no text. */
  filesSkipped: number;
}

/** A node with its place in the graph. */
export interface LcmDescribedSummary extends LcmSummary {
  sessionId: string;
  createdAt: Date;
  /** Nodes made from it. */
  derivedIds: readonly string[];
  messageCount: number;
  isInContext: boolean;
}

/** A sub-node of a manifest; `level` 1 = direct source. */
export interface LcmManifestEntry extends LcmSummaryHead {
  level: number;
}

/** A message as a tool shows it: whole text, or a slice of it. Offsets in characters. */
export interface LcmMessage {
  sessionId: string;
  id: number;
  seq: number;
  role: Role;
  rowKind: RowKind;
  sender: string | null;
  sentAt: Date;
  tokens: number;
  text: string;
  totalCharacters: number;
  /** Where to go on; null at the end. */
  nextOffset: number | null;
}

export interface LcmFileSlice {
  file: LcmFile;
  text: string;
  /** Byte of the file at which `text` begins. */
  byteOffset: number;
  isTruncated: boolean;
}

export type LcmFileWindow =
  /** From a byte on, whole characters. */
  | { kind: 'bytes'; offset: number; maxBytes: number }
  /** 1-based, both inclusive; `endLine` >= `startLine`. */
  | { kind: 'lines'; startLine: number; endLine: number; maxBytes: number };
