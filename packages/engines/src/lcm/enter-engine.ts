import {
  estimateParts,
  textOfParts,
  type CompactionPlan,
  type LcmStore,
  type MessageRow,
  type PlannedRow,
  type RowHeader,
  type TranscriptView,
} from '@palimpsest/core';
import { isMerged } from '../compressor/row-kinds.ts';
import { splitMerged, unwrapSummary } from '../compressor/summary-text.ts';
import { stateChange } from './build-plan.ts';
import { asNewSummary, leafNode } from './make-node.ts';
import type { RowItem, SweptNode } from './items.ts';
import { plainFigures } from './plan-figures.ts';
import type { TimeWords } from './time-words.ts';

/**
 * Take a running session over: each live summary of another engine becomes a node with edges to every original message
 * under it. A message into which a summary was merged gets its own words back. Null where there is none.
 */
export async function enterPlan(
  view: TranscriptView,
  store: Pick<LcmStore, 'rowsUnder'>,
  time: TimeWords,
): Promise<CompactionPlan | null> {
  const summaries = view.rows.filter((row) => row.kind === 'summary');
  if (summaries.length === 0) return null;
  const ids = summaries.map(({ id }) => id);
  const [bodies, under] = await Promise.all([view.bodies(ids), store.rowsUnder(view.session.id, ids)]);
  const nodes: SweptNode[] = [];
  const write: PlannedRow[] = [];
  for (const row of summaries) {
    const body = bodies.get(row.id);
    const content = summaryBody(row, body);
    const covered = (under.get(row.id) ?? [row]).map((origin): RowItem => ({
      kind: 'row',
      ordinal: origin.seq,
      tokens: origin.tokens,
      row: { ...row, id: origin.id, seq: origin.seq, tokens: origin.tokens, sentAt: origin.sentAt },
    }));
    const rows = isMerged(row) ? covered.filter((item) => item.row.id !== row.replaces) : covered;
    if (content !== '' && rows.length > 0) nodes.push(nodeOf(view.session.id, rows, { content, time }));
    if (isMerged(row)) write.push(ownWords(row, body));
  }
  const ordered = nodes.toSorted((a, b) => a.ordinal - b.ordinal);
  return planOf(view, { archived: summaries, nodes: ordered, write });
}

function summaryBody(row: RowHeader, body: MessageRow | undefined): string {
  const parts = body?.parts ?? [];
  return (isMerged(row) ? (splitMerged(parts).summary ?? '') : unwrapSummary(textOfParts(parts))).trim();
}

function nodeOf(
  sessionId: string,
  rows: readonly RowItem[],
  { content, time }: { content: string; time: TimeWords },
): SweptNode {
  const written = { content, escalation: 'normal' as const, provider: null, model: null };
  return leafNode(rows, written, { sessionId, time, source: content });
}

/** The message behind a merged summary, as it was. */
function ownWords(row: RowHeader, body: MessageRow | undefined): PlannedRow {
  const parts = splitMerged(body?.parts ?? []).content;
  const { role, sentAt, sender } = row;
  return {
    role,
    kind: role === 'user' ? 'person' : role,
    parts,
    tokens: estimateParts(parts),
    sentAt,
    sender,
    place: { kind: 'replaces', rowId: row.id },
  };
}

function planOf(
  { rows }: TranscriptView,
  made: { archived: readonly RowHeader[]; nodes: readonly SweptNode[]; write: readonly PlannedRow[] },
): CompactionPlan {
  const before = rows.reduce((sum, row) => sum + row.tokens, 0);
  const gone = made.archived.reduce((sum, row) => sum + row.tokens, 0);
  const came = [...made.nodes, ...made.write].reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    kind: 'plan',
    outcome: 'success',
    reason: 'none',
    archive: made.archived.map(({ id }) => id),
    write: made.write,
    state: stateChange({
      summaries: made.nodes.map(asNewSummary),
      addItems: made.nodes.map(({ id, ordinal }) => ({ summaryId: id, ordinal })),
    }),
    summaryModel: null,
    figures: plainFigures({
      tokensBefore: before,
      tokensAfter: before - gone + came,
      rowsBefore: rows.length,
      rowsAfter: rows.length - made.archived.length + made.nodes.length + made.write.length,
      rowsArchived: made.archived.length,
    }),
  };
}
