import { createHash } from 'node:crypto';
import { estimateParts, type LcmEscalation, type LcmNewSummary } from '@palimpsest/core';
import { fileIdsIn } from './expand-footer.ts';
import type { RowItem, SummaryItem, SweptNode } from './items.ts';
import { presentSummary } from './present-summary.ts';
import type { TimeWords } from './time-words.ts';

/** A text that stands for messages or summaries, and who wrote it. */
export interface WrittenText {
  content: string;
  escalation: LcmEscalation;
  provider: string | null;
  model: string | null;
}

export interface NodeGround {
  sessionId: string;
  time: TimeWords;
  /** The text it was made from: ids of files in it are kept. */
  source: string;
}

/** The summary of messages. */
export function leafNode(rows: readonly RowItem[], written: WrittenText, ground: NodeGround): SweptNode {
  const times = rows.map(({ row }) => row.sentAt.getTime());
  return finish(
    {
      kind: 'leaf',
      depth: 0,
      messageIds: rows.map(({ row }) => row.id),
      sourceIds: [],
      earliestAt: new Date(Math.min(...times)),
      latestAt: new Date(Math.max(...times)),
      descendantCount: 0,
      descendantTokens: 0,
      sourceMessageTokens: sum(rows.map(({ tokens }) => tokens)),
      fileIds: fileIdsIn(ground.source),
      ordinal: rows[0]!.ordinal,
    },
    written,
    ground,
  );
}

/** The summary of summaries of one depth. */
export function condensedNode(
  members: readonly SummaryItem[],
  written: WrittenText,
  ground: NodeGround,
): SweptNode {
  const nodes = members.map(({ node }) => node);
  const files = [...nodes.flatMap(({ fileIds }) => fileIds), ...fileIdsIn(ground.source)];
  return finish(
    {
      kind: 'condensed',
      depth: nodes[0]!.depth + 1,
      messageIds: [],
      sourceIds: nodes.map(({ id }) => id),
      earliestAt: new Date(Math.min(...nodes.map(({ earliestAt }) => earliestAt.getTime()))),
      latestAt: new Date(Math.max(...nodes.map(({ latestAt }) => latestAt.getTime()))),
      descendantCount: sum(nodes.map((node) => node.descendantCount + 1)),
      descendantTokens: sum(nodes.map((node) => node.tokens + node.descendantTokens)),
      sourceMessageTokens: sum(nodes.map((node) => node.sourceMessageTokens)),
      fileIds: [...new Set(files)],
      ordinal: members[0]!.ordinal,
    },
    written,
    ground,
  );
}

type Bare = Omit<SweptNode, 'id' | 'tokens' | 'content' | 'escalation' | 'provider' | 'model'>;

/** Its tokens are those of the block that the model reads. */
function finish(bare: Bare, written: WrittenText, { sessionId, time }: NodeGround): SweptNode {
  const sources = bare.kind === 'leaf' ? bare.messageIds : bare.sourceIds;
  const id = summaryId({ sessionId, depth: bare.depth, sources, content: written.content });
  const node = { ...bare, ...written, id, tokens: 0 };
  return { ...node, tokens: estimateParts(presentSummary(node, time).parts) };
}

/** The same text over the same sources has the same id: a repeated job writes nothing twice. */
function summaryId(of: {
  sessionId: string;
  depth: number;
  sources: readonly (number | string)[];
  content: string;
}): string {
  const hash = createHash('sha256').update(JSON.stringify([of.sessionId, of.depth, of.sources, of.content]));
  return `sum_${hash.digest('hex').slice(0, 16)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The node as it is stored: its place in the context is stored beside it. */
export function asNewSummary({ ordinal: _placedBeside, ...node }: SweptNode): LcmNewSummary {
  return node;
}
