import { estimateTokens, type MessageRow, type Part, type RowHeader } from '@palimpsest/core';
import { redact } from '../compressor/redact.ts';
import { isImage } from '../compressor/row-kinds.ts';
import { cleanSource } from './clean-source.ts';
import type { TimeWords } from './time-words.ts';

export interface SourceStyle {
  time: TimeWords;
  timezone: string;
  /** `strip_injected_context_tags`. */
  injectedTags: readonly string[];
}

/** What the summary model reads of a run of messages: '' where nothing of it is in words. */
export function leafSource(
  rows: readonly RowHeader[],
  bodies: ReadonlyMap<number, MessageRow>,
  style: SourceStyle,
): string {
  const blocks = rows.map((row) => renderMessage(row, bodies.get(row.id)?.parts ?? [], style));
  return redact(blocks.filter((block) => block !== '').join('\n\n'));
}

/** Who said it, and when; a name is what someone calls themselves and no more. */
function messageHeader(row: RowHeader, { time, timezone }: SourceStyle): string {
  const name = row.sender ? ` ${JSON.stringify(row.sender.name)}` : '';
  const trust = row.role === 'user' && row.kind === 'person' ? ' (untrusted)' : '';
  return `[${time(row.sentAt)} ${timezone}] ${speakerOf(row)}${name}${trust}:`;
}

/** What a message costs beside its own tokens. */
export function headerTokens(row: RowHeader, style: SourceStyle): number {
  return estimateTokens(messageHeader(row, style));
}

function speakerOf(row: RowHeader): string {
  if (row.kind === 'notice') return 'notice of the service';
  if (row.kind === 'synthetic') return 'note of the service';
  return row.role;
}

function renderMessage(row: RowHeader, parts: readonly Part[], style: SourceStyle): string {
  const pieces = parts.map((part) => pieceOf(part, style.injectedTags));
  const words = pieces.flatMap(({ words: said }) => (said === '' ? [] : [said]));
  const attachments = pieces.reduce((sum, piece) => sum + piece.media, 0);
  if (words.length === 0 && attachments === 0) return '';
  const suffix =
    attachments === 0 ? [] : [attachments === 1 ? '[attachment]' : `[${attachments} attachments]`];
  return [messageHeader(row, style), ...words, ...suffix].join('\n');
}

interface Piece {
  words: string;
  media: number;
}

function pieceOf(part: Part, tags: readonly string[]): Piece {
  switch (part.type) {
    case 'text':
      return cleaned(part.text, tags, '');
    case 'header':
      // Time and speaker stand in the header of ours; what is quoted in it does not.
      return cleaned(part.text.split('\n').slice(1).join('\n'), tags, '');
    case 'tool_call':
      return cleaned(part.arguments, tags, `calls ${part.name} `);
    case 'tool_result':
      return cleaned(part.text, tags, `${part.name}${part.isError ? ' failed' : ''} → `);
    case 'payload':
      return isImage(part) ? imagePiece(part.preview, tags) : cleaned(part.preview, tags, '');
    case 'sidecar':
      // Private reasoning of the model.
      return { words: '', media: 0 };
  }
}

function cleaned(text: string, tags: readonly string[], before: string): Piece {
  const { text: words, hadMedia } = cleanSource(text, tags);
  return {
    words: words === '' && before === '' ? '' : `${before}${words}`.trimEnd(),
    media: hadMedia ? 1 : 0,
  };
}

function imagePiece(preview: string, tags: readonly string[]): Piece {
  const { text } = cleanSource(preview, tags);
  return { words: text, media: 1 };
}
