/** A conversation in memory with the model-guided engine's state, and compress calls made in it. */
import {
  defaultConfig,
  emptyDcpState,
  estimateParts,
  type Config,
  type DcpGrant,
  type DcpState,
  type MessageRow,
  type Part,
  type RowKind,
} from '@palimpsest/core';
import { runCompress, type CompressEnd } from '../../packages/engines/src/dcp/compress/run-compress.ts';
import { assignRefs } from '../../packages/engines/src/dcp/refs/assign-refs.ts';
import { groupUnits } from '../../packages/engines/src/dcp/refs/group-units.ts';
import { applyChange } from '../../packages/engines/src/dcp/state/apply-change.ts';

type DcpConfig = Config['context']['dcp'];
type Mode = DcpConfig['compress']['mode'];

export interface CallWish {
  name?: string;
  args?: unknown;
  output: string;
  isError?: boolean;
}

export interface RangeWish {
  startId: string;
  endId: string;
  summary: string;
}

/** What the model reads, parsed. */
export interface CompressAnswer {
  ok: boolean;
  error?: { code: string; message: string };
  mode?: Mode;
  created_blocks?: string[];
  deactivated_blocks?: string[];
  active_blocks?: string[];
  removed_tokens?: number;
  summary_tokens?: number;
  net_tokens?: number;
  valid_refs?: string[];
  message?: string;
}

/** Defaults with a small protected tail and no least gain, so that a test states what it is about. */
export function dcpConfig(changes: Partial<DcpConfig> = {}, compress: Partial<DcpConfig['compress']> = {}) {
  const { dcp } = defaultConfig().context;
  return {
    ...dcp,
    preserveRecentMessages: 1,
    preserveRecentTokens: 1,
    minNetTokens: 1,
    ...changes,
    compress: { ...dcp.compress, ...compress },
  };
}

export class CompressWorld {
  rows: MessageRow[] = [];
  state: DcpState = emptyDcpState();
  config: DcpConfig;
  windowTokens = 200_000;
  #nextId = 101;
  #turn = 0;
  #step = 0;
  #calls = 0;

  constructor(config: DcpConfig = dcpConfig()) {
    this.config = config;
  }

  get turnId(): string {
    return `turn-${this.#turn}`;
  }

  /** Something a person says; begins a turn. */
  person(text: string, kind: RowKind = 'person'): MessageRow {
    this.#turn += 1;
    this.#step = 0;
    return this.#add('user', kind, [{ type: 'text', text }]);
  }

  answer(text: string): MessageRow {
    this.#step += 1;
    return this.#add('assistant', 'assistant', [{ type: 'text', text }]);
  }

  /** One step with tool calls and all their results; the assistant row. */
  round(calls: readonly CallWish[], said = ''): MessageRow {
    this.#step += 1;
    const named = calls.map((call) => ({ ...call, id: this.#callId(), name: call.name ?? 'terminal' }));
    const row = this.#add('assistant', 'assistant', [
      ...(said === '' ? [] : [{ type: 'text', text: said } as const]),
      ...named.map(({ id, name, args }): Part => ({
        type: 'tool_call',
        id,
        name,
        arguments: JSON.stringify(args ?? {}),
      })),
    ]);
    for (const { id, name, output, isError } of named) this.#result(id, name, output, isError ?? false);
    return row;
  }

  /** A call whose result never came. */
  openCall(): MessageRow {
    this.#step += 1;
    return this.#add('assistant', 'assistant', [
      { type: 'tool_call', id: this.#callId(), name: 'terminal', arguments: '{}' },
    ]);
  }

  /** Numbers for what has none. */
  number(): void {
    const assigned = assignRefs(this.state, groupUnits(this.rows));
    if (assigned.kind === 'exhausted') throw new Error('no more refs');
    this.state = applyChange(this.state, { baseVersion: this.state.version, refs: assigned.refs });
  }

  /** A compress call as the engine runs it; its round is stored afterwards, whatever came of it. */
  async compress(args: unknown, wish: { callId?: string; turnId?: string } = {}): Promise<CompressAnswer> {
    const end = await this.tryCompress(args, wish);
    if (end.change) this.state = applyChange(this.state, end.change);
    this.#step += 1;
    const id = wish.callId ?? `call-${this.#calls}`;
    this.#add('assistant', 'assistant', [
      { type: 'tool_call', id, name: 'compress', arguments: argumentsText(args) },
    ]);
    this.#result(id, 'compress', end.result.text, end.result.isError);
    return JSON.parse(end.result.text) as CompressAnswer;
  }

  /** The same without storing anything. */
  tryCompress(args: unknown, wish: { callId?: string; turnId?: string } = {}): Promise<CompressEnd> {
    this.number();
    const id = wish.callId ?? this.#callId();
    return runCompress({
      call: { id, name: 'compress', arguments: argumentsText(args) },
      turnId: wish.turnId ?? this.turnId,
      view: { rows: this.rows, bodies: (ids) => this.#bodies(ids) },
      state: this.state,
      config: this.config,
      windowTokens: this.windowTokens,
      elapsedMs: () => 25,
    });
  }

  range(entries: readonly RangeWish[], topic = 'set up the project'): Promise<CompressAnswer> {
    return this.compress({ topic, content: entries });
  }

  grant(grant: DcpGrant | null): void {
    this.state = { ...this.state, grant };
  }

  /** Rows that leave the prompt: an undone turn, a deleted message. */
  withdraw(ids: readonly number[]): void {
    this.rows = this.rows.filter((row) => !ids.includes(row.id));
  }

  #callId(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }

  #result(callId: string, name: string, text: string, isError: boolean): void {
    this.#add('tool', 'tool', [{ type: 'tool_result', callId, name, text, isError }]);
  }

  #bodies(ids: readonly number[]): Promise<ReadonlyMap<number, MessageRow>> {
    const wanted = new Set(ids);
    return Promise.resolve(
      new Map(this.rows.filter((row) => wanted.has(row.id)).map((row) => [row.id, row])),
    );
  }

  #add(role: MessageRow['role'], kind: RowKind, parts: readonly Part[]): MessageRow {
    const id = this.#nextId++;
    const result = parts.find((part) => part.type === 'tool_result');
    const row: MessageRow = {
      id,
      seq: id * 1024,
      role,
      kind,
      parts,
      tokens: estimateParts(parts),
      sentAt: new Date('2026-03-02T09:00:00Z'),
      turnId: this.turnId,
      step: this.#step,
      part: 0,
      toolCallIds: parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])),
      ...(result ? { toolCallId: result.callId } : {}),
    };
    this.rows.push(row);
    return row;
  }
}

function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** Turns of a question of 20 words and an answer of 200: m0001 question, m0002 answer, and so on. */
export function talk(world: CompressWorld, turns: number): CompressWorld {
  for (let turn = 1; turn <= turns; turn++) {
    world.person(`question ${turn} ${'please '.repeat(18)}`);
    world.answer(`answer ${turn} ${'word '.repeat(198)}`);
  }
  return world;
}
