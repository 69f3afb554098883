import { estimateTokens } from '@palimpsest/core';
import type { Anchor } from './anchor-book.ts';
import { anchorKinds, type AnchorKind } from './find-anchors.ts';

const labels: Record<AnchorKind, string> = {
  issue: 'Issues',
  commit: 'Commits',
  path: 'Paths',
  url: 'Links',
  handle: 'Handles',
  error: 'Errors',
};

/** Characters of the whole index. */
const mostChars = 7_000;
const labelTokens = 4;
/** The times mark and the blank before it. */
const markTokens = 3;

/**
 * The index as text: one line a kind, errors one line each, most frequent first, ×n behind what was seen n times. Kinds
 * take turns until the room is used up, so that none pushes another out.
 * returns '' when there is nothing to list
 */
export function renderAnchors(ranked: ReadonlyMap<AnchorKind, readonly Anchor[]>, capTokens: number): string {
  const chosen = new Map<AnchorKind, Anchor[]>(anchorKinds.map((kind) => [kind, []]));
  let tokens = 0;
  let chars = 0;
  const open = new Set<AnchorKind>(anchorKinds);
  for (let turn = 0; open.size > 0; turn++) {
    for (const kind of anchorKinds) {
      if (!open.has(kind)) continue;
      const anchor = ranked.get(kind)?.[turn];
      const cost = anchor ? estimateTokens(anchor.text) + markTokens + (turn === 0 ? labelTokens : 0) : 0;
      const length = anchor ? anchor.text.length + 5 : 0;
      if (!anchor || tokens + cost > capTokens || chars + length > mostChars) open.delete(kind);
      else chosen.get(kind)!.push(anchor);
      if (open.has(kind)) tokens += cost;
      if (open.has(kind)) chars += length;
    }
  }
  return anchorKinds.flatMap((kind) => linesOf(kind, chosen.get(kind)!)).join('\n');
}

function linesOf(kind: AnchorKind, anchors: readonly Anchor[]): readonly string[] {
  if (anchors.length === 0) return [];
  const label = `${labels[kind]}:`;
  const entries = anchors.map(({ text, count }) => (count > 1 ? `${text} ×${count}` : text));
  return kind === 'error'
    ? [label, ...entries.map((entry) => `- ${entry}`)]
    : [`${label} ${entries.join(' ')}`];
}

/** The anchors of a rendered index, best first within a kind. Lines that are none are left out. */
export function parseAnchors(text: string): readonly Anchor[] {
  const anchors: Anchor[] = [];
  let inErrors = false;
  for (const line of text.split('\n')) {
    const kind = anchorKinds.find((one) => line.startsWith(`${labels[one]}:`));
    if (kind === 'error') inErrors = true;
    else if (kind) anchors.push(...parseEntries(kind, line.slice(labels[kind].length + 1)));
    else if (inErrors && line.startsWith('- ')) anchors.push(parseError(line.slice(2)));
  }
  return anchors;
}

function parseEntries(kind: AnchorKind, text: string): readonly Anchor[] {
  const anchors: Anchor[] = [];
  for (const word of text.split(' ')) {
    const times = /^×(\d{1,9})$/.exec(word);
    if (times && anchors.length > 0) anchors.at(-1)!.count = Number(times[1]);
    else if (word !== '') anchors.push({ kind, text: word, count: 1, last: 0 });
  }
  return anchors;
}

function parseError(text: string): Anchor {
  const times = / ×(\d{1,9})$/.exec(text);
  if (!times) return { kind: 'error', text, count: 1, last: 0 };
  return { kind: 'error', text: text.slice(0, times.index), count: Number(times[1]), last: 0 };
}
