import {
  estimateParts,
  type CompactionPlan,
  type MessageRow,
  type ModelInfo,
  type NewRow,
  type Part,
  type Session,
  type SummaryAnswer,
  type SummaryRequest,
  type Summariser,
  type TranscriptView,
} from '@palimpsest/core';
import { placeRows } from '../../packages/store/src/compactions/place-rows.ts';

/** A session row as the first claim reads it. */
export function aSession(changes: Partial<Session> = {}): Session {
  const at = new Date('2026-03-02T09:00:00Z');
  return {
    id: 's1',
    engine: 'compressor',
    systemPrompt: null,
    systemNote: null,
    chatKind: 'direct',
    platform: 'local',
    revision: 0,
    epoch: 1,
    lastPromptTokens: 0,
    lastCacheReadTokens: 0,
    lastOutputTokens: 0,
    lastPricedSeq: 0,
    estimateRatio: 1,
    compactionCount: 0,
    cooldownUntil: null,
    cooldownReason: null,
    failureStreak: 0,
    ineffectiveStreak: 0,
    fallbackStreak: 0,
    probeAt: null,
    structuralUntil: null,
    holdRestUntil: null,
    holdRestReason: null,
    holdFailureStreak: 0,
    auxiliaryFailed: null,
    troubleTold: null,
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}

export function aModel(changes: Partial<ModelInfo> = {}): ModelInfo {
  return {
    provider: 'anthropic',
    name: 'test-model',
    label: 'anthropic/test-model',
    windowTokens: 200_000,
    windowSource: 'config',
    maxOutputTokens: 8_000,
    issuer: 'test',
    caching: null,
    ...changes,
  };
}

interface StoredRow extends MessageRow {
  state: 'live' | 'archived' | 'withdrawn';
}

/** Rows of one session with the store's rules for placing and archiving, in memory. */
export class MemoryTranscript implements TranscriptView {
  session: Session;
  readonly all: StoredRow[] = [];
  bodyReads = 0;
  #nextId = 1;
  #nextSeq = 1024;

  constructor(session: Session = aSession()) {
    this.session = session;
  }

  get rows(): readonly MessageRow[] {
    return this.all.filter((row) => row.state === 'live').sort((a, b) => a.seq - b.seq);
  }

  bodies(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>> {
    this.bodyReads += 1;
    const wanted = new Set(ids);
    return Promise.resolve(new Map(this.all.filter((row) => wanted.has(row.id)).map((row) => [row.id, row])));
  }

  append(row: NewRow): MessageRow {
    const stored = this.#stored(row, this.#nextSeq, undefined);
    this.#nextSeq += 1024;
    return stored;
  }

  /** As /undo does: out of the prompt and of the search, still there. */
  withdraw(ids: readonly number[]): void {
    for (const row of this.all) if (ids.includes(row.id)) row.state = 'withdrawn';
  }

  /** As the store does: named rows archived, planned rows placed, counters changed. Throws when a row is not live. */
  apply(plan: CompactionPlan): void {
    const live = new Set(this.rows.map((row) => row.id));
    for (const id of plan.archive) if (!live.has(id)) throw new Error(`row ${id} is not live`);
    const archived = new Set(plan.archive);
    const sorted = [...this.all].sort((a, b) => a.seq - b.seq);
    const anchors = new Map(
      sorted.map((row, index) => [row.id, { seq: row.seq, next: sorted[index + 1]?.seq ?? this.#nextSeq }]),
    );
    const kept = this.rows.filter((row) => !archived.has(row.id)).map((row) => row.seq);
    const taken = new Set(sorted.map((row) => row.seq));
    const seqs = placeRows(
      plan.write.map((row) => row.place),
      { kept, taken, anchors, nextSeq: this.#nextSeq },
    );
    if (!seqs) throw new Error('no_seq');
    for (const row of this.all) if (archived.has(row.id)) row.state = 'archived';
    for (const [index, row] of plan.write.entries()) {
      this.#stored(row, seqs[index]!, row.place.kind === 'replaces' ? row.place.rowId : undefined);
    }
    const systemNote = plan.systemNote ?? this.session.systemNote;
    this.session = {
      ...this.session,
      lastPromptTokens: -1,
      systemNote,
      compactionCount: this.session.compactionCount + 1,
    };
  }

  #stored(row: NewRow, seq: number, replaces: number | undefined): StoredRow {
    const calls = row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
    const result = row.parts.find((part) => part.type === 'tool_result');
    const { role, kind, parts, tokens, sender } = row;
    const base = { id: this.#nextId++, seq, role, kind, parts, tokens, sender, replaces, toolCallIds: calls };
    const stored: StoredRow = {
      ...base,
      sentAt: row.sentAt ?? new Date('2026-03-02T09:00:00Z'),
      toolCallId: result?.callId,
      state: 'live',
    };
    this.all.push(stored);
    return stored;
  }
}

function rowOf(role: NewRow['role'], kind: NewRow['kind'], parts: readonly Part[]): NewRow {
  return { role, kind, parts, tokens: estimateParts(parts) };
}

export const userRow = (text: string): NewRow => rowOf('user', 'person', [{ type: 'text', text }]);
export const syntheticRow = (text: string): NewRow => rowOf('user', 'synthetic', [{ type: 'text', text }]);
export const answerRow = (text: string): NewRow => rowOf('assistant', 'assistant', [{ type: 'text', text }]);

export function callRow(calls: readonly { id: string; name?: string; args?: string }[], text = ''): NewRow {
  const said: Part[] = text === '' ? [] : [{ type: 'text', text }];
  const made: Part[] = calls.map(({ id, name, args }) => ({
    type: 'tool_call',
    id,
    name: name ?? 'terminal',
    arguments: args ?? '{}',
  }));
  return rowOf('assistant', 'assistant', [...said, ...made]);
}

export function resultRow(callId: string, text: string, isError = false): NewRow {
  return rowOf('tool', 'tool', [{ type: 'tool_result', callId, name: 'terminal', text, isError }]);
}

/** `count` plain English words, about one token each. */
export function words(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => ['river', 'stone', 'light', 'paper', 'cloud'][index % 5],
  ).join(' ');
}

/** A hand-written summariser: answers from a script (the last entry for ever) and keeps what it was asked. */
export class ScriptedSummariser implements Summariser {
  readonly model = 'summary-model';
  readonly windowTokens: number;
  readonly requests: SummaryRequest[] = [];
  mostAtOnce = 0;
  #running = 0;
  readonly #answers: readonly (string | SummaryAnswer)[];

  constructor(
    answers: readonly (string | SummaryAnswer)[] = ['## Goal\nset up the project'],
    windowTokens = 200_000,
  ) {
    this.#answers = answers;
    this.windowTokens = windowTokens;
  }

  async summarise(request: SummaryRequest): Promise<SummaryAnswer> {
    this.requests.push(request);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running);
    const answer = this.#answers[Math.min(this.requests.length, this.#answers.length) - 1]!;
    await Promise.resolve();
    await Promise.resolve();
    this.#running -= 1;
    return typeof answer === 'string' ? { kind: 'text', text: answer, usage: null } : answer;
  }
}
