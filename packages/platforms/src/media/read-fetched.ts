/** The bytes of a file → what is kept of them. */
import { createHash } from 'node:crypto';
import { cleanText, type IncomingMedia, type MediaProblem, type SettledMedia } from '@palimpsest/core';
import { sniffContent, type Sniffed } from './sniff-content.ts';

/** What every model service takes: 5 MB of base64 and 8,000 pixels a side. A larger one would spoil every later request. */
const mostImageBytes = 3_750_000;
const mostImageSide = 8_000;

type Read = Pick<SettledMedia, 'state' | 'content'>;

/** `hears`: recordings can be written down. */
export function readFetched(
  bytes: Uint8Array,
  { name }: Pick<IncomingMedia, 'name'>,
  { hears }: { hears: boolean },
): Read {
  const sniffed = sniffContent(bytes);
  switch (sniffed.kind) {
    case 'image':
      return isForModels(bytes, sniffed)
        ? kept(bytes, 'image', sniffed.mime)
        : left('too_large', mostImageBytes);
    case 'audio':
      return hears ? kept(bytes, 'audio', sniffed.mime) : left('unsupported');
    case 'text':
      return kept(Buffer.from(cleanText(sniffed.text)), 'text', textMime(name ?? ''));
    case 'other':
      return left('unreadable');
  }
}

function isForModels(bytes: Uint8Array, { width, height }: Extract<Sniffed, { kind: 'image' }>): boolean {
  if (bytes.length > mostImageBytes || width === null || height === null) return false;
  return Math.min(width, height) > 0 && Math.max(width, height) <= mostImageSide;
}

function kept(content: Uint8Array, what: 'image' | 'audio' | 'text', mime: string): Read {
  const payloadId = createHash('sha256').update(content).digest('hex');
  return { state: { kind: 'stored', content: what, payloadId, mime, bytes: content.length }, content };
}

function left(problem: MediaProblem, limitBytes?: number): Read {
  return { state: { kind: 'left', problem, ...(limitBytes === undefined ? {} : { limitBytes }) } };
}

/** For whoever looks into it later; whatever its name, it is a text. */
function textMime(name: string): string {
  const ending = /\.(\w+)$/.exec(name.toLowerCase())?.[1];
  if (ending === 'md') return 'text/markdown';
  return ending === 'csv' || ending === 'html' || ending === 'xml' ? `text/${ending}` : 'text/plain';
}
