import type { Part, RowHeader } from '@palimpsest/core';

/** A summary that took the place of a tail row and carries that row's content behind it. */
export function isMerged(row: RowHeader): boolean {
  return row.kind === 'summary' && row.replaces !== undefined;
}

/** A row that is a summary and nothing else. */
export function isPlainSummary(row: RowHeader): boolean {
  return row.kind === 'summary' && row.replaces === undefined;
}

/** Something a person said; notes of ours for the model do not count. */
export function isPerson(row: RowHeader): boolean {
  return row.kind === 'person' || (isMerged(row) && row.role === 'user');
}

/** An answer in words, not a step with tool calls. */
export function isPlainAnswer(row: RowHeader): boolean {
  if (row.role !== 'assistant' || row.toolCallIds.length > 0) return false;
  return row.kind === 'assistant' || isMerged(row);
}

/** A picture kept beside the transcript. */
export function isImage(part: Part): boolean {
  return part.type === 'payload' && part.mime.startsWith('image/');
}

/** A picture in a line of the summariser's input or of the prompt. */
export function imageMark(part: Part): string {
  const preview = part.type === 'payload' ? part.preview.replace(/\s+/g, ' ').trim() : '';
  return preview === '' ? '[image]' : `[image: ${preview.slice(0, 120).toWellFormed()}]`;
}
