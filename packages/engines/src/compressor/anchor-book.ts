import { anchorKinds, findAnchors, type AnchorKind, type AnchorSink } from './find-anchors.ts';
import { redact } from './redact.ts';

/** An anchor with how often it was seen; `last` is higher the later. */
export interface Anchor {
  kind: AnchorKind;
  text: string;
  count: number;
  last: number;
}

interface Seen extends Anchor {
  /** Where it stood first and last, to see whether it is part of a secret; '' when it came from an earlier index. */
  first: { text: string; at: number };
  latest: { text: string; at: number };
}

/** Most anchors of a kind that are listed. */
const mostOfKind: Record<AnchorKind, number> = {
  issue: 120,
  commit: 40,
  path: 120,
  error: 40,
  url: 30,
  handle: 40,
};

/** Characters before and behind an anchor that decide whether it is part of a secret: the name stands before the value. */
const charsBefore = 160;
const charsBehind = 60;
/** A word that names a secret, or begins one; without it nothing near an anchor is masked. */
const secretName = /key|token|secret|pass|pwd|cred|auth|:\/\//i;

/** Counts anchors over texts handed in from the oldest to the newest. */
export class AnchorBook implements AnchorSink {
  readonly #seen = new Map<string, Seen>();
  #text = '';
  /** Characters read before this text: with a position in it the order of an anchor. */
  #read = 0;

  /** Anchors of an earlier index: older than everything read here. */
  addEarlier(anchors: readonly Anchor[]): void {
    const none = { text: '', at: 0 };
    for (const { kind, text, count } of anchors.toReversed()) {
      const seen = this.#seen.get(text);
      if (seen) seen.count += count;
      else this.#seen.set(text, { kind, text, count, last: this.#read++, first: none, latest: none });
    }
  }

  read(text: string, said: boolean): void {
    // A key of many lines: its middle does not look like one.
    this.#text = text.includes('PRIVATE KEY-----') ? redact(text) : text;
    findAnchors(this.#text, said, this);
    this.#read += this.#text.length + 1;
  }

  add(kind: AnchorKind, anchor: string, at: number): void {
    const order = this.#read + at;
    const place = { text: this.#text, at };
    const seen = this.#seen.get(anchor);
    if (!seen) {
      this.#seen.set(anchor, { kind, text: anchor, count: 1, last: order, first: place, latest: place });
      return;
    }
    seen.count += 1;
    if (order < seen.last) return;
    seen.last = order;
    seen.latest = place;
  }

  /** By count, then the newest first; parts of secrets left out. */
  ranked(): ReadonlyMap<AnchorKind, readonly Anchor[]> {
    const byKind = new Map<AnchorKind, Seen[]>(anchorKinds.map((kind) => [kind, []]));
    for (const seen of this.#seen.values()) byKind.get(seen.kind)!.push(seen);
    return new Map(anchorKinds.map((kind) => [kind, harmless(best(byKind.get(kind)!), mostOfKind[kind])]));
  }
}

function best(seen: readonly Seen[]): readonly Seen[] {
  return seen.toSorted((a, b) => b.count - a.count || b.last - a.last);
}

function harmless(seen: readonly Seen[], most: number): readonly Anchor[] {
  const kept: Anchor[] = [];
  for (const anchor of seen) {
    if (kept.length === most) break;
    if (isSecret(anchor)) continue;
    const { kind, count, last } = anchor;
    kept.push({ kind, text: kind === 'error' ? redact(anchor.text) : anchor.text, count, last });
  }
  return kept;
}

function isSecret({ kind, text, first, latest }: Seen): boolean {
  if (kind === 'error') return false;
  if (redact(text) !== text) return true;
  const places = first === latest ? [first] : [first, latest];
  return places.some((place) => {
    if (place.text === '') return false;
    const from = Math.max(0, place.at - charsBefore);
    if (!secretName.test(place.text.slice(from, place.at))) return false;
    const context = place.text.slice(from, place.at + text.length + charsBehind);
    return !redact(context).includes(text);
  });
}
