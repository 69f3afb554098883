import {
  lcmFileId,
  type LcmSummary,
  type PromptMessage,
  type Session,
  type TranscriptView,
} from '@palimpsest/core';
import { isPerson } from '../compressor/row-kinds.ts';
import { sanitisePairs } from '../compressor/sanitise-pairs.ts';
import type { BodyCache } from './body-cache.ts';
import { chooseKept } from './choose-kept.ts';
import { clampPrompt } from './clamp-prompt.ts';
import { freshTail } from './fresh-tail.ts';
import { tokensOf, type ContextItem } from './items.ts';
import type { LcmMeasures } from './measures.ts';
import type { Sizes } from './sizes.ts';
import { tailLimits } from './workbench.ts';

export interface AssembleHelp {
  sizes: Sizes;
  bodies: BodyCache;
  present: (summary: LcmSummary) => PromptMessage;
  measures: LcmMeasures;
  /** Rows whose texts were asked for before: the view keeps them. Those of this prompt are added. */
  seen: Set<number>;
  /** `stub_large_tool_payloads`. */
  stubs: boolean;
}

/**
 * The next prompt: summaries, then the tail. What is kept is chosen on stored token counts; only its texts are read. Where
 * it is too much, in this order: the oldest summaries and messages outside the tail, in steps; then all but the newest
 * messages that fit. The same rows and summaries give the same bytes.
 */
export async function assemble(
  view: TranscriptView,
  items: readonly ContextItem[],
  { sizes, bodies, present, measures, seen, stubs }: AssembleHelp,
): Promise<readonly PromptMessage[]> {
  const tail = measures.timedNow('select', () => freshTail(items, tailLimits(sizes)));
  const room = roomOf(sizes, view.session);
  const kept = measures.timedNow('estimate', () => chooseKept(items, tail, room));
  const rowIds = kept.flatMap((item) => (item.kind === 'row' ? [item.row.id] : []));
  const nodeIds = kept.flatMap((item) => (item.kind === 'summary' ? [item.node.id] : []));
  const statements =
    (rowIds.some((id) => !seen.has(id)) ? 1 : 0) + bodies.statements(view.session.id, nodeIds);
  measures.assembled(kept, statements);
  for (const id of rowIds) seen.add(id);
  const [rows, nodes] = await Promise.all([view.bodies(rowIds), bodies.read(view.session.id, nodeIds)]);
  const inTail = new Set(items.filter((_, index) => tail.has(index)));
  const messages = kept.flatMap((item): PromptMessage[] => {
    if (item.kind === 'summary') {
      const node = nodes.get(item.node.id);
      return node ? [present(node)] : [];
    }
    const { row } = item;
    const message = { role: row.role, parts: rows.get(row.id)?.parts ?? [], rowId: row.id };
    if (message.parts.length === 0) return [];
    return [stubs && !inTail.has(item) ? stubPayloads(message) : message];
  });
  const persons = new Set(
    kept.flatMap((item) => (item.kind === 'row' && isPerson(item.row) ? [item.row.id] : [])),
  );
  const asked = (message: PromptMessage): boolean =>
    message.rowId !== undefined && persons.has(message.rowId);
  const whole = measures.timedNow('repair', () => sanitisePairs(messages.map(withCallId)));
  // Stored counts say that it fits: nothing is counted again.
  if (tokensOf(kept) <= room) return whole;
  return sanitisePairs(clampPrompt(whole, room, asked));
}

/** Estimated tokens that the messages of a request may have. */
export function roomOf(sizes: Pick<Sizes, 'roomTokens'>, session: Pick<Session, 'estimateRatio'>): number {
  return Math.floor(sizes.roomTokens / Math.max(1, session.estimateRatio));
}

/** A result that names no call is told as words: no provider takes it otherwise. */
function withCallId(message: PromptMessage): PromptMessage {
  if (message.role !== 'tool') return message;
  const results = message.parts.filter((part) => part.type === 'tool_result');
  if (results.length > 0 && results.every(({ callId }) => callId !== '')) return message;
  const parts = message.parts.map((part) =>
    part.type === 'tool_result' ? { type: 'text' as const, text: `[${part.name}] ${part.text}` } : part,
  );
  return { ...message, role: 'assistant', parts };
}

/** An old result whose text lies beside the transcript becomes one line; pairing and pictures stay. */
function stubPayloads(message: PromptMessage): PromptMessage {
  if (message.role !== 'tool') return message;
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool_result') return part;
    const id = /call read_payload with id "([0-9a-f]{16})"/.exec(part.text)?.[1];
    if (!id) return part;
    const fileId = lcmFileId(id);
    return {
      ...part,
      text: `[${part.name}: ${fileId}, kept whole; lcm_describe with id "${fileId}" and expand_file opens it]`,
    };
  });
  return { ...message, parts };
}
