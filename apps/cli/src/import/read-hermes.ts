import { GatewayError } from '@palimpsest/core';
import type { DatabaseSync } from 'node:sqlite';
import { toConversation, type Conversation, type Value } from './read-conversation.ts';

/** One conversation of a Hermes `state.db`: a session with the ones it was rotated from by compactions. */
export interface HermesConversation {
  /** Oldest first; the last one names the conversation. */
  sessionIds: readonly string[];
  title: string | null;
  source: string | null;
  messages: number;
  lastAt: number;
}

type Row = Record<string, unknown>;

/** Without these it is another database, or one of a version that this program does not know. */
const neededColumns = ['id', 'session_id', 'role', 'content', 'timestamp'];
const firstBytes = 'SQLite format 3\u0000';

export function isSqlite(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 16)).toString('latin1') === firstBytes;
}

/** An opened `state.db`, read only. */
export class HermesFile implements Disposable {
  readonly #database: DatabaseSync;
  readonly #where: string;
  readonly #columns: ReadonlySet<string>;
  readonly #sessionColumns: ReadonlySet<string>;

  private constructor(database: DatabaseSync, where: string) {
    this.#database = database;
    this.#where = where;
    this.#columns = columnsOf(database, 'messages');
    this.#sessionColumns = columnsOf(database, 'sessions');
    const missing = neededColumns.filter((column) => !this.#columns.has(column));
    if (missing.length === 0) return;
    database.close();
    const what =
      this.#columns.size === 0 ? 'no table messages' : `no column ${missing.join(', ')} in messages`;
    throw new GatewayError(
      'input_invalid',
      `${where} is no state.db of Hermes that can be read: it has ${what}; needed are messages(${neededColumns.join(', ')}). Nothing was imported.`,
    );
  }

  /** throws input_invalid naming what is missing */
  static async open(path: string, where: string): Promise<HermesFile> {
    const { DatabaseSync } = await import('node:sqlite');
    try {
      return new HermesFile(new DatabaseSync(path, { readOnly: true }), where);
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      throw new GatewayError(
        'input_invalid',
        `${where} cannot be read as SQLite; end Hermes first, so that the file is whole. Nothing was imported.`,
        { cause },
      );
    }
  }

  /** Newest first. A session that a compaction closed is part of the one that took its place. */
  conversations(): readonly HermesConversation[] {
    const counted = this.#all(
      `SELECT session_id AS id, count(*) AS messages, max(timestamp) AS last FROM messages
       WHERE ${this.#shown()} GROUP BY session_id`,
    );
    const sessions = new Map(this.#sessions().map((session) => [String(session['id']), session]));
    const rotated = new Set(counted.flatMap(({ id }) => this.#parents(String(id), sessions)));
    return counted
      .filter(({ id }) => !rotated.has(String(id)))
      .map(({ id, messages, last }) => {
        const own = String(id);
        const session = sessions.get(own);
        return {
          sessionIds: [...this.#parents(own, sessions).toReversed(), own],
          title: textOrNull(session?.['title']),
          source: textOrNull(session?.['source']),
          messages: Number(messages),
          lastAt: secondsOf(last),
        };
      })
      .toSorted((a, b) => b.lastAt - a.lastAt);
  }

  /**
   * What was said, in order and once: rows that compactions put away count, those that were taken back do not, nor do
   * summaries of what is there itself.
   */
  read({ sessionIds }: HermesConversation): Conversation {
    const names = sessionIds.map(() => '?').join(', ');
    const rows = this.#all(
      `SELECT * FROM messages WHERE session_id IN (${names}) AND ${this.#shown()} ORDER BY id`,
      sessionIds,
    );
    const seen = new Set<string>();
    const wanted = rows.filter((row) => {
      const key = JSON.stringify([
        row['role'],
        row['content'],
        row['timestamp'],
        row['tool_call_id'],
        row['tool_calls'],
      ]);
      return !seen.has(key) && seen.add(key) && isSaid(row);
    });
    const order = new Map(sessionIds.map((id, index) => [id, index]));
    const inOrder = wanted.toSorted(
      (a, b) => (order.get(String(a['session_id'])) ?? 0) - (order.get(String(b['session_id'])) ?? 0),
    );
    const lines = inOrder.map((row) => {
      const at = `${this.#where}: message ${String(row['id'])}`;
      return { at, value: valueOf(row, at) };
    });
    const conversation = toConversation(lines, this.#where, new Date());
    return { ...conversation, skipped: conversation.skipped + rows.length - wanted.length };
  }

  /** Sessions that compactions closed on the way to this one, newest first. */
  #parents(id: string, sessions: ReadonlyMap<string, Row>): string[] {
    const found: string[] = [];
    for (let at = textOrNull(sessions.get(id)?.['parent_session_id']); at !== null;) {
      const parent = sessions.get(at);
      // A parent that goes on is one that started another, not one that was rotated.
      if (parent?.['end_reason'] !== 'compression' || found.includes(at)) break;
      found.push(at);
      at = textOrNull(parent['parent_session_id']);
    }
    return found;
  }

  #sessions(): Row[] {
    if (!this.#sessionColumns.has('id')) return [];
    const wanted = ['id', 'title', 'source', 'parent_session_id', 'end_reason'];
    const there = wanted.filter((column) => this.#sessionColumns.has(column));
    return this.#all(`SELECT ${there.join(', ')} FROM sessions`);
  }

  /** In the prompt or put away by a compaction; neither is taken back. Older files have no such columns. */
  #shown(): string {
    const flags = ['active', 'compacted'].filter((column) => this.#columns.has(column));
    return flags.length === 0 ? 'true' : `(${flags.map((flag) => `${flag} = 1`).join(' OR ')})`;
  }

  #all(query: string, values: readonly string[] = []): Row[] {
    return this.#database.prepare(query).all(...values);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<string> {
  const rows = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  return new Set(rows.map(({ name }) => String(name)));
}

/** How the summaries of Hermes begin; theirs are marked as hidden too. */
const summaryBeginning = '[CONTEXT COMPACTION';

function isSaid({ role, content, tool_calls: calls, display_kind: kind }: Row): boolean {
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return false;
  if (kind === 'hidden' || String(content ?? '').startsWith(summaryBeginning)) return false;
  return String(content ?? '') !== '' || (typeof calls === 'string' && calls !== '' && calls !== '[]');
}

function valueOf(row: Row, at: string): Value {
  const { role, content, timestamp, tool_call_id: callId, tool_calls: calls, tool_name: name } = row;
  return {
    role,
    content,
    ts: timestamp,
    ...(callId != null && { tool_call_id: callId }),
    ...(typeof name === 'string' && { name }),
    ...(typeof calls === 'string' && calls !== '' && { tool_calls: parsed(calls, at) }),
  };
}

function parsed(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('input_invalid', `${at}: tool_calls is no JSON. Nothing was imported.`, { cause });
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Seconds of the Unix clock, or a date as text. */
function secondsOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? 0 : time / 1000;
}
