/** Items of the Responses wire that we send or keep; fields as the service spells them. */

export interface TextContent {
  type: 'input_text' | 'output_text';
  text: string;
}

/** A picture inside the request. */
export interface ImageContent {
  type: 'input_image';
  image_url: string;
  detail: 'auto';
}

export interface MessageItem {
  type: 'message';
  role: 'user' | 'assistant' | 'developer' | 'system';
  content: (TextContent | ImageContent)[];
  /** Newer models answer worse when it is not sent back. */
  phase?: 'commentary' | 'final_answer';
}

export interface CallItem {
  type: 'function_call';
  call_id: string;
  name: string;
  arguments: string;
}

export interface OutputItem {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

/** Encrypted reasoning, sent back as it came and directly before what it led to. */
export interface ReasoningItem {
  type: 'reasoning';
  id: string;
  summary: { type: 'summary_text'; text: string }[];
  encrypted_content: string;
}

/** What the service made of everything before it; only its issuer can read it. */
export interface CheckpointItem {
  type: 'compaction';
  encrypted_content: string;
  id?: string;
}

export type InputItem = MessageItem | CallItem | OutputItem | ReasoningItem | CheckpointItem;

/** Label of the message that follows; no item of its own on the wire. */
export interface PhaseMark {
  type: 'phase';
  phase: 'commentary' | 'final_answer';
}

/**
 * What is kept of an answer beside its texts and calls. `after` texts and calls of the same answer come before it, so
 * that it goes back to its place.
 */
export interface KeptItem {
  after: number;
  item: ReasoningItem | CheckpointItem | PhaseMark;
}

/** A sidecar's content as kept item; null when it is none of this wire. */
export function readKeptItem(content: unknown): KeptItem | null {
  if (!isRecord(content) || typeof content['after'] !== 'number' || !isRecord(content['item'])) return null;
  const item = readItem(content['item']);
  return item && { after: content['after'], item };
}

function readItem(item: Record<string, unknown>): KeptItem['item'] | null {
  const { type, id, phase, summary, encrypted_content: blob } = item;
  if (type === 'phase') return phase === 'commentary' || phase === 'final_answer' ? { type, phase } : null;
  if (typeof blob !== 'string' || blob === '') return null;
  if (type === 'compaction')
    return { type, encrypted_content: blob, ...(typeof id === 'string' ? { id } : {}) };
  if (type !== 'reasoning' || typeof id !== 'string') return null;
  return { type, id, summary: readSummary(summary), encrypted_content: blob };
}

function readSummary(summary: unknown): ReasoningItem['summary'] {
  if (!Array.isArray(summary)) return [];
  return summary.flatMap((part: unknown) =>
    isRecord(part) && typeof part['text'] === 'string'
      ? [{ type: 'summary_text' as const, text: part['text'] }]
      : [],
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
