/*
 * A lean summary as text: what the model wrote, then the parts made without a model. Each part is found again at the
 * next compaction, so that the index and the quotes are carried on and never told as if they were conversation.
 *
 *   model's text │ task snapshot │ anchor index │ messages of the person │ recovery
 */
import { parseAnchors } from './anchor-index.ts';
import type { Anchor } from './anchor-book.ts';
import { parseQuotes, type Quote } from './user-quotes.ts';

const sections = {
  snapshot: '## Task Snapshot (historical)',
  anchors: '## Anchor Index',
  quotes: '## User Messages (verbatim, newest first)',
  recovery: '## Recovery',
} as const;

type Section = keyof typeof sections;

/** Under these names earlier releases and models write what the snapshot holds. */
const snapshotNames = /^#{1,3} (?:Historical )?(?:Task Snapshot|Active Task)\b/i;

const snapshotLead =
  'The newest request in the archived turns; it may be done, and is not open because it stands here:';

export interface LeanParts {
  /** The model's own text. */
  prose: string;
  snapshot: Quote | null;
  anchors: readonly Anchor[];
  /** Newest first. */
  quotes: readonly Quote[];
}

export interface LeanTexts {
  prose: string;
  /** Quoted lines. */
  snapshot: string;
  anchors: string;
  quotes: string;
  recovery: string;
}

export function joinSections(texts: LeanTexts): string {
  const parts = [
    texts.prose,
    section('snapshot', texts.snapshot === '' ? '' : `${snapshotLead}\n${texts.snapshot}`),
    section('anchors', texts.anchors),
    section('quotes', texts.quotes),
    section('recovery', texts.recovery),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function section(name: Section, text: string): string {
  return text === '' ? '' : `${sections[name]}\n${text}`;
}

/** Take a summary apart. One of legacy mode, or of an earlier release, is all prose. */
export function splitSections(body: string): LeanParts {
  const texts: Record<Section | 'prose' | 'gone', string[]> = {
    prose: [],
    snapshot: [],
    anchors: [],
    quotes: [],
    recovery: [],
    gone: [],
  };
  let open: keyof typeof texts = 'prose';
  for (const line of body.split('\n')) {
    const found = sectionOf(line);
    if (found) open = found;
    else if (/^#{1,2} /.test(line)) open = 'prose';
    if (!found) texts[open].push(line);
  }
  const [snapshot] = parseQuotes(texts.snapshot.join('\n'));
  return {
    prose: texts.prose.join('\n').trim(),
    snapshot: snapshot ?? plainSnapshot(texts.snapshot),
    anchors: parseAnchors(texts.anchors.join('\n')),
    quotes: parseQuotes(texts.quotes.join('\n')),
  };
}

function sectionOf(line: string): Section | null {
  if (!line.startsWith('#')) return null;
  const trimmed = line.trimEnd();
  for (const name of ['snapshot', 'anchors', 'quotes', 'recovery'] as const)
    if (trimmed === sections[name]) return name;
  return snapshotNames.test(trimmed) ? 'snapshot' : null;
}

/** A snapshot that a model or the local summary wrote, without quote marks. */
function plainSnapshot(lines: readonly string[]): Quote | null {
  const text = lines.join('\n').trim();
  return text === '' ? null : { day: '', text };
}
