import { createHash } from 'node:crypto';
import { estimateTokens, type NewPayload, type Part } from '@palimpsest/core';

/** Whether a text is kept as a payload and shown by its ends. */
export function isLongText(text: string, maxTokens: number): boolean {
  return text.length / 4 > maxTokens || estimateTokens(text) > maxTokens;
}

/** A text as a part; an over-long one as a payload with its beginning and end in sight. */
export function asPart(text: string, maxTokens: number): { part: Part; payload: NewPayload | null } {
  if (!isLongText(text, maxTokens)) return { part: { type: 'text', text }, payload: null };
  const { payload, preview } = asPayload(text, maxTokens);
  const bytes = Buffer.byteLength(text);
  return { part: { type: 'payload', payloadId: payload.id, mime: payload.mime, bytes, preview }, payload };
}

/** The payload of a long text, and the preview that stands for it in the prompt: a twentieth of the room, both ends. */
export function asPayload(text: string, maxTokens: number): { payload: NewPayload; preview: string } {
  const id = createHash('sha256').update(text).digest('hex');
  const characters = Math.max(400, Math.floor(maxTokens * 0.4));
  const head = text.slice(0, characters).toWellFormed();
  const tail = text.slice(-Math.floor(characters / 4)).toWellFormed();
  const preview = `${head}\n[… ${text.length} characters in all, kept whole: call read_payload with id "${id.slice(0, 16)}" and an offset …]\n${tail}`;
  return { payload: { id, mime: 'text/plain', text }, preview };
}
