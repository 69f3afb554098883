import type { FileToSend } from './media.ts';

export type Role = 'user' | 'assistant' | 'tool';

/**
 * What a row is, beside its role on the wire.
 * person: something someone said · assistant, tool: a step of a turn · summary: stands for archived rows ·
 * notice: told to the person by the service · synthetic: written by us for the model.
 */
export type RowKind = 'person' | 'assistant' | 'tool' | 'summary' | 'notice' | 'synthetic';

export type Part =
  /** What was said, byte for byte. `isAnswered`, here and below: it came with the message that is answered. */
  | { type: 'text'; text: string; isAnswered?: true }
  /** Written by us in front of a person's text (time, speaker, quoted message); goes to the model, not into search. */
  | { type: 'header'; text: string; isAnswered?: true }
  /** `arguments` is the JSON text exactly as the model wrote it; it may be invalid. */
  | { type: 'tool_call'; id: string; name: string; arguments: string }
  | { type: 'tool_result'; callId: string; name: string; text: string; isError: boolean }
  /** A large content kept beside the transcript; `preview` is what the model sees. */
  | { type: 'payload'; payloadId: string; mime: string; bytes: number; preview: string; isAnswered?: true }
  /** Opaque item of a provider, sent back only to its issuer. */
  | { type: 'sidecar'; issuer: string; item: unknown };

/** What an engine decides on: everything but the text. */
export interface RowHeader {
  id: number;
  seq: number;
  role: Role;
  kind: RowKind;
  /** Estimated tokens of the content, framing included. */
  tokens: number;
  sentAt: Date;
  sender?: { id: string; name: string };
  turnId?: string;
  step?: number;
  part?: number;
  /** Ids of the calls an assistant row makes. */
  toolCallIds: readonly string[];
  /** Id of the call a tool row answers. */
  toolCallId?: string;
  replaces?: number;
}

export interface MessageRow extends RowHeader {
  parts: readonly Part[];
}

/** A row on its way into the transcript: the store gives id and seq. */
export interface NewRow {
  role: Role;
  kind: RowKind;
  parts: readonly Part[];
  tokens: number;
  sentAt?: Date;
  sender?: { id: string; name: string };
  /** The platform's id of a person's message. */
  platformMessageId?: string;
  /** Large contents that `payload` parts of this row point at; stored in the same transaction, once a sha256. */
  payloads?: readonly NewPayload[];
  /** Of a tool's row: what goes out to the person when the row is stored; no part of the row. */
  files?: readonly FileToSend[];
}

/** `id` is the sha256 of the content in hex. */
export interface NewPayload {
  id: string;
  mime: string;
  text: string;
  /** How `text` stands for the content; left out: it is the content. */
  encoding?: 'base64';
}

/** One message of a provider request, provider-neutral. `rowId` names the row it came from, if any. */
export interface PromptMessage {
  role: Role;
  parts: readonly Part[];
  rowId?: number;
}

/** The plain text of parts: text, headers and results joined by new lines; calls and sidecars left out. */
export function textOfParts(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'header' || part.type === 'tool_result') texts.push(part.text);
    else if (part.type === 'payload') texts.push(part.preview);
  }
  return texts.join('\n');
}

/**
 * What a row says and search finds: texts, results, previews of large contents, and calls with the values of their arguments,
 * as a model wrote them (a path in JSON has other characters than the path). Headers and sidecars left out.
 */
export function saidInParts(parts: readonly Part[]): string {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'tool_result') texts.push(part.text);
    else if (part.type === 'payload') texts.push(part.preview);
    else if (part.type === 'tool_call') texts.push(`${part.name}: ${valuesOf(part.arguments).join(' ')}`);
  }
  return texts.join('\n');
}

function valuesOf(json: string): string[] {
  try {
    return leavesOf(JSON.parse(json));
  } catch {
    return [json]; // What a model wrote need not be JSON.
  }
}

function leavesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [String(value)];
}
