import { lcmFileId } from '@palimpsest/core';
import { anchorKinds, findAnchors, type AnchorKind } from '../compressor/find-anchors.ts';

/** How the last line of every summary begins: what a reader may want to open it for. */
export const footerStart = 'Expand for details about:';

/** Most things named by a footer of ours. */
const mostNames = 8;
const longestName = 120;

/** The summary with its last line; a missing one is made of what the source names most. */
export function withFooter(summary: string, source: string): string {
  const body = summary.trim();
  const last = body.slice(body.lastIndexOf('\n') + 1).trim();
  if (last.toLowerCase().startsWith(footerStart.toLowerCase())) return body;
  return `${body}\n${footerOf(source)}`;
}

/** The deterministic last line of a source. */
export function footerOf(source: string): string {
  const names = topNames(source);
  return `${footerStart} ${names.length === 0 ? 'the exact wording' : names.join(', ')}`;
}

function topNames(source: string): readonly string[] {
  const counts = new Map<string, { kind: AnchorKind; count: number }>();
  findAnchors(source, false, {
    add(kind, anchor) {
      const seen = counts.get(anchor);
      if (seen) seen.count += 1;
      else if (kind !== 'error' && anchor.length <= longestName) counts.set(anchor, { kind, count: 1 });
    },
  });
  for (const id of fileIdsIn(source)) counts.set(id, { kind: 'issue', count: 1_000 });
  return [...counts]
    .sort(([, a], [, b]) => b.count - a.count || anchorKinds.indexOf(a.kind) - anchorKinds.indexOf(b.kind))
    .slice(0, mostNames)
    .map(([name]) => name);
}

/** Ids of files that a text names, in order, each once; also those that a preview names for reading on. */
export function fileIdsIn(text: string): readonly string[] {
  const found = text.matchAll(/\bfile_([0-9a-f]{16})\b|read_payload with id "([0-9a-f]{16})"/g);
  return [...new Set([...found].map(([, named, shown]) => lcmFileId(named ?? shown!)))];
}
