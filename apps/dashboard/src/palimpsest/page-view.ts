import type { DcpBlockView, LcmSummaryHead, LcmSummary, MessageRow } from '@palimpsest/core';
import { cutText, rowView, type RowView } from '../api/row-view.ts';
import type { PagesDeps } from '../deps.ts';
import { layPage, type BlockCover, type Place } from './lay-page.ts';

/** One place of the page with its text, and how many rows can be opened underneath. */
export type PlaceView =
  | { kind: 'row'; seq: number; row: RowView; under: number }
  | { kind: 'node'; seq: number; node: NodeView }
  | { kind: 'block'; seq: number; block: BlockView };

/** A node of the graph. `text` null: not read for this list. */
export type NodeView = Omit<LcmSummaryHead, 'fileIds' | 'descendantTokens'> & {
  files: number;
  messages: number;
  sources: number | null;
  text: string | null;
  cut: number;
  supersededBy: string | null;
};

/** A block; `own…` tokens are of what it covers and says itself, the others count what it took in. */
export type BlockView = Omit<
  DcpBlockView,
  'body' | 'unitIds' | 'anchorUnit' | 'rawTokens' | 'summaryTokens'
> & {
  text: string;
  cut: number;
  ownUnits: number;
  ownTokens: number;
  ownSummaryTokens: number;
  units: number;
  rows: number;
  removedTokens: number;
  summaryTokens: number;
  netTokens: number;
};

type PageStores = Pick<PagesDeps, 'transcript' | 'lcm' | 'dcp'>;

/** What the model reads, in order, from `after` on; `next` null at the end. Only this page's texts are read. */
export async function readPage(
  stores: PageStores,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ places: PlaceView[]; next: number | null; total: number }> {
  const [rows, state, blocks] = await Promise.all([
    stores.transcript.liveHeaders(sessionId),
    stores.lcm.load(sessionId),
    stores.dcp.blocks(sessionId),
  ]);
  const all = layPage({ rows, items: state.items, blocks });
  const rest = all.filter((place) => place.seq > after);
  const page = rest.slice(0, limit);
  const places = await withTexts(stores, sessionId, page);
  return { places, next: rest.length > limit ? (page.at(-1)?.seq ?? null) : null, total: all.length };
}

async function withTexts(
  { transcript, lcm }: PageStores,
  sessionId: string,
  page: readonly Place[],
): Promise<PlaceView[]> {
  const rows = page.flatMap((place) => (place.kind === 'row' ? [place.row] : []));
  const nodes = page.flatMap((place) => (place.kind === 'node' ? [place.node.id] : []));
  const summaries = rows.filter((row) => row.kind === 'summary').map((row) => row.id);
  const [bodies, under, texts, counts] = await Promise.all([
    transcript.bodies(
      sessionId,
      rows.map((row) => row.id),
    ),
    lcm.rowsUnder(sessionId, summaries),
    lcm.summaries(sessionId, nodes),
    lcm.messageCounts(sessionId, nodes),
  ]);
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  const textOf = new Map(texts.map((text) => [text.id, text]));
  return page.flatMap((place): PlaceView[] => {
    const { seq } = place;
    if (place.kind === 'block') return [{ kind: 'block', seq, block: blockView(place.block, place.cover) }];
    if (place.kind === 'node') {
      const node = textOf.get(place.node.id) ?? place.node;
      return [{ kind: 'node', seq, node: nodeView(node, counts.get(place.node.id) ?? 0) }];
    }
    const body = bodyOf.get(place.row.id);
    // Archived between the two statements: the next look shows where it went.
    if (!body) return [];
    return [{ kind: 'row', seq, row: liveView(body), under: countUnder(body, under.get(body.id)) }];
  });
}

/** A summary that came from another session stands for itself: nothing can be opened here. */
function countUnder(row: MessageRow, under: readonly { id: number }[] | undefined): number {
  if (row.replaces !== undefined) return 1;
  return (under ?? []).filter(({ id }) => id !== row.id).length;
}

function liveView(row: MessageRow): RowView {
  return rowView({ ...row, state: 'live', archivedBy: null });
}

function nodeView(node: LcmSummaryHead | LcmSummary, messages: number): NodeView {
  const { id, kind, depth, tokens, earliestAt, latestAt, descendantCount, sourceMessageTokens } = node;
  const isWhole = 'content' in node;
  return {
    id,
    kind,
    depth,
    tokens,
    earliestAt,
    latestAt,
    descendantCount,
    sourceMessageTokens,
    messages,
    provider: node.provider,
    model: node.model,
    escalation: node.escalation,
    files: node.fileIds.length,
    sources: isWhole ? node.sourceIds.length : null,
    supersededBy: isWhole ? node.supersededBy : null,
    ...(isWhole ? cutText(node.content) : { text: null, cut: 0 }),
  };
}

/** Each with the number of messages under it. */
export async function nodeViews(
  lcm: Pick<PagesDeps['lcm'], 'messageCounts'>,
  sessionId: string,
  nodes: readonly (LcmSummaryHead | LcmSummary)[],
): Promise<NodeView[]> {
  const counts = await lcm.messageCounts(
    sessionId,
    nodes.map((node) => node.id),
  );
  return nodes.map((node) => nodeView(node, counts.get(node.id) ?? 0));
}

export function blockView(block: DcpBlockView, cover: BlockCover): BlockView {
  const { body, unitIds, anchorUnit: _anchor, rawTokens, summaryTokens, ...rest } = block;
  return {
    ...rest,
    ...cutText(body),
    ownUnits: unitIds.length,
    ownTokens: rawTokens,
    ownSummaryTokens: summaryTokens,
    units: cover.units,
    rows: cover.rowIds.length,
    removedTokens: cover.hiddenTokens,
    summaryTokens: cover.shownTokens,
    netTokens: cover.hiddenTokens - cover.shownTokens,
  };
}
