import {
  never,
  originKey,
  type DcpMarkReason,
  type DcpState,
  type MessageRow,
  type Part,
  type PromptMessage,
} from '@palimpsest/core';
import type { DcpConfig } from '../compress/ground.ts';
import { compressToolName } from '../compress/tool-schema.ts';
import { formatUnitRef } from '../refs/format-ref.ts';
import type { DcpUnit } from '../refs/group-units.ts';
import { markedPart } from '../strategies/marked-parts.ts';
import { parseObject } from '../strategies/signature.ts';
import { addRef } from './add-refs.ts';
import { stripParts } from './strip-tags.ts';
import { priorityOf } from './priority.ts';

/** What is the same for all units of one prompt. */
export interface RenderGround {
  state: DcpState;
  config: DcpConfig;
  bodies: ReadonlyMap<number, MessageRow>;
  /** `unit call` → reason. */
  marks: ReadonlyMap<string, DcpMarkReason>;
  /** `turn call` of every call that made a block. */
  origins: ReadonlySet<string>;
}

/** Stands for the summaries in the arguments of a past compress call: they are shown as blocks. */
const storedSummaries = 'stored; each call needs summaries of its own';

export function renderGround(
  state: DcpState,
  config: DcpConfig,
  bodies: ReadonlyMap<number, MessageRow>,
): RenderGround {
  const marks = new Map(state.marks.map((mark) => [`${mark.unitId} ${mark.callId}`, mark.reason]));
  const origins = new Set(
    state.blocks.flatMap(({ origin }) => (origin ? [originKey(origin.turnId, origin.callId)] : [])),
  );
  return { state, config, bodies, marks, origins };
}

/** The messages of a unit that no block hides. A row whose text is missing or malformed is left out, never fatal. */
export function renderUnit(unit: DcpUnit, ground: RenderGround): readonly PromptMessage[] {
  const rows = unit.rows.flatMap((header) => {
    const row = ground.bodies.get(header.id);
    return row && isSound(row) ? [row] : [];
  });
  const messages = rows.map((row): PromptMessage => ({
    role: row.role,
    parts: changedParts(stripParts(row.parts, row.role), { unit, row, ground }),
    rowId: row.id,
  }));
  return addRef(messages, markOf(unit, rows, ground));
}

function isSound(row: MessageRow): boolean {
  return Array.isArray(row.parts) && row.parts.every((part) => typeof part === 'object' && part !== null);
}

function changedParts(
  parts: readonly Part[],
  { unit, row, ground }: { unit: DcpUnit; row: MessageRow; ground: RenderGround },
): readonly Part[] {
  let isChanged = false;
  const changed = parts.map((part) => {
    const callId = part.type === 'tool_call' ? part.id : part.type === 'tool_result' ? part.callId : null;
    if (callId === null) return part;
    const reason = ground.marks.get(`${unit.id} ${callId}`);
    const marked = reason === undefined ? part : markedPart(part, reason);
    const isOrigin = part.type === 'tool_call' && ground.origins.has(originKey(row.turnId, callId));
    const next = isOrigin ? stubCompress(marked) : marked;
    isChanged ||= next !== part;
    return next;
  });
  return isChanged ? changed : parts;
}

/** The summaries of a past call are shown as blocks; their second copy would only cost. */
function stubCompress(part: Part): Part {
  // Some servers give one id to several calls of a turn.
  if (part.type !== 'tool_call' || part.name !== compressToolName) return part;
  const topic = parseObject(part.arguments)?.topic;
  const stub = { ...(typeof topic === 'string' ? { topic } : {}), content: storedSummaries };
  return { ...part, arguments: JSON.stringify(stub) };
}

/** The mark that names a unit; '' for one without a ref or where there is no compress tool. */
function markOf(
  unit: DcpUnit,
  rows: readonly MessageRow[],
  { state, config, origins }: RenderGround,
): string {
  const number = state.refs.get(unit.id);
  if (number === undefined || config.compress.permission === 'deny') return '';
  const ref = formatUnitRef(number);
  const { mode, protectUserMessages } = config.compress;
  switch (mode) {
    case 'range':
      return `[${ref}]`;
    case 'message':
      if (protectUserMessages && unit.kind === 'person') return '[BLOCKED]';
      return `[${ref} ${priorityOf(unit, isCompressUnit(rows, origins))}]`;
    default:
      return never(mode);
  }
}

function isCompressUnit(rows: readonly MessageRow[], origins: ReadonlySet<string>): boolean {
  return rows.some((row) => row.toolCallIds.some((callId) => origins.has(originKey(row.turnId, callId))));
}
