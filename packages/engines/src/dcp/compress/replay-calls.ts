import {
  emptyDcpState,
  type DcpBlock,
  type DcpChange,
  type DcpRef,
  type DcpState,
  type MessageRow,
  type Part,
} from '@palimpsest/core';
import { assignRefs } from '../refs/assign-refs.ts';
import { parseRef } from '../refs/format-ref.ts';
import { groupUnits } from '../refs/group-units.ts';
import { applyChange } from '../state/apply-change.ts';
import { parseObject } from '../strategies/signature.ts';
import { compressGround, type DcpConfig } from './ground.ts';
import { readArguments } from './read-arguments.ts';
import { originOf } from './run-compress.ts';
import { selectEntries } from './select-entries.ts';
import { compressToolName } from './tool-schema.ts';
import { writeBlocks } from './write-blocks.ts';

type CallPart = Extract<Part, { type: 'tool_call' }>;

/** A compress call that had made blocks. */
interface CompletedCall {
  /** Position of its unit: it saw the rows before. */
  firstRow: number;
  turnId: string;
  call: CallPart;
  /** Number of the first block it made. */
  firstBlock: number;
}

/**
 * The state of a conversation that came without one, such as a copy: its completed compress calls are done again in their
 * order. A call that no longer fits is left out, and so is what builds on it.
 * rows      all live rows with their texts, seq order
 * returns   a change of the empty state; null when there is no completed call
 */
export function replayCalls(rows: readonly MessageRow[], config: DcpConfig): DcpChange | null {
  const calls = completedCalls(rows);
  if (calls.length === 0) return null;
  const bodies = new Map(rows.map((row) => [row.id, row]));
  let state = emptyDcpState();
  for (const completed of calls) {
    const before = rows.slice(0, completed.firstRow);
    state = numbered(state, before);
    const blocks = blocksOf(completed, { state, before, config, bodies });
    if (blocks) state = applyChange(state, { baseVersion: state.version, blocks });
  }
  state = numbered(state, rows);
  const refs: DcpRef[] = [...state.refs].map(([unitId, number]) => ({ unitId, number }));
  return state.blocks.length === 0 ? null : { baseVersion: 0, refs, blocks: state.blocks };
}

function numbered(state: DcpState, rows: readonly MessageRow[]): DcpState {
  const assigned = assignRefs(state, groupUnits(rows));
  if (assigned.kind === 'exhausted') return state;
  return applyChange(state, { baseVersion: state.version, refs: assigned.refs });
}

function blocksOf(
  { turnId, call, firstBlock }: CompletedCall,
  seen: {
    state: DcpState;
    before: readonly MessageRow[];
    config: DcpConfig;
    bodies: ReadonlyMap<number, MessageRow>;
  },
): readonly DcpBlock[] | null {
  const read = readArguments(call.arguments, seen.config.compress.mode);
  if (!read.ok) return null;
  // Later calls name blocks by the numbers they had.
  const state = { ...seen.state, nextBlock: Math.max(seen.state.nextBlock, firstBlock) };
  const view = { rows: seen.before };
  const ground = compressGround({ state, config: seen.config, view, windowTokens: Infinity });
  const selected = selectEntries(ground, read.value.entries, false);
  if (!selected.ok) return null;
  const written = writeBlocks(selected.value, {
    ground,
    bodies: seen.bodies,
    topic: read.value.topic,
    origin: originOf({ call, turnId }),
    author: 'model',
    durationMs: 0,
    checksSizes: false,
  });
  return written.ok ? written.value.blocks : null;
}

function completedCalls(rows: readonly MessageRow[]): readonly CompletedCall[] {
  const calls: CompletedCall[] = [];
  const open = new Map<string, Omit<CompletedCall, 'firstBlock'>>();
  for (const [firstRow, row] of rows.entries())
    for (const part of row.parts) {
      if (part.type === 'tool_call' && part.name === compressToolName)
        open.set(part.id, { firstRow, turnId: row.turnId ?? '', call: part });
      if (part.type !== 'tool_result') continue;
      const made = open.get(part.callId);
      const firstBlock = firstBlockOf(part.text);
      if (made && firstBlock !== null) calls.push({ ...made, firstBlock });
      open.delete(part.callId);
    }
  return calls;
}

/** null: the call made none. */
function firstBlockOf(result: string): number | null {
  const answer = parseObject(result);
  const created = answer?.['ok'] === true ? answer['created_blocks'] : null;
  const [first] = Array.isArray(created) ? (created as unknown[]) : [];
  const ref = typeof first === 'string' ? parseRef(first) : null;
  return ref?.kind === 'block' ? ref.number : null;
}
