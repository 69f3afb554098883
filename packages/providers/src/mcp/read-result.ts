import { createHash } from 'node:crypto';
import { cleanText, type NewPayload, type ToolResult } from '@palimpsest/core';

type Block = Record<string, unknown>;

/** More files than this in one result are only counted. */
const maxPayloads = 20;

/**
 * The result of a call as text for the model. Images, sound and files are kept beside the transcript; the text says what
 * they are and how a text among them can be read.
 *
 * result         what the server answered: `{ content, structuredContent, isError }`, nothing of it trusted
 * maxCharacters  the text is cut off there, with a note
 */
export function readResult(result: Record<string, unknown>, maxCharacters: number): ToolResult {
  const payloads: NewPayload[] = [];
  const keep = (payload: NewPayload): boolean => payloads.length < maxPayloads && payloads.push(payload) > 0;
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const lines = content.filter(isObject).map((block) => lineOf(block, keep));
  const structured = result['structuredContent'];
  if (lines.length === 0 && structured !== undefined) lines.push(JSON.stringify(structured));
  const text = cleanText(lines.join('\n'));
  const isError = result['isError'] === true;
  const shown = text === '' ? 'The tool ended and said nothing.' : cut(text, maxCharacters);
  return payloads.length === 0 ? { text: shown, isError } : { text: shown, isError, payloads };
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const rest = text.length - maxCharacters;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n[… ${rest} more characters were cut off; ask for less at once …]`;
}

function lineOf(block: Block, keep: (payload: NewPayload) => boolean): string {
  const { type } = block;
  if (type === 'text') return textIn(block['text']);
  if (type === 'image' || type === 'audio') return binary(String(type), block, keep);
  if (type === 'resource_link') return `[link to ${textIn(block['name'])}: ${textIn(block['uri'])}]`;
  const resource = block['resource'];
  if (type !== 'resource' || !isObject(resource)) return '[content of an unknown kind was left out]';
  return resourceLine(resource, keep);
}

function resourceLine(resource: Block, keep: (payload: NewPayload) => boolean): string {
  const name = `file ${textIn(resource['uri'])}`;
  if (typeof resource['blob'] === 'string')
    return binary(name, { data: resource['blob'], mimeType: resource['mimeType'] }, keep);
  const content = cleanText(textIn(resource['text']));
  const payload = { id: sha256(content), mime: mimeOf(resource, 'text/plain'), text: content };
  if (!keep(payload)) return `[${name}: left out, too many files in one result]`;
  return `[${name}, ${payload.mime}, ${content.length} characters: call read_payload with id "${payload.id.slice(0, 16)}"]`;
}

function binary(what: string, block: Block, keep: (payload: NewPayload) => boolean): string {
  const bytes = Buffer.from(textIn(block['data']), 'base64');
  const payload: NewPayload = {
    id: sha256(bytes),
    mime: mimeOf(block, 'application/octet-stream'),
    text: bytes.toString('base64'),
    encoding: 'base64',
  };
  if (!keep(payload)) return `[${what}: left out, too many files in one result]`;
  return `[${what}, ${payload.mime}, ${bytes.length} bytes, kept as payload ${payload.id.slice(0, 16)}; it is no text]`;
}

function mimeOf(block: Block, otherwise: string): string {
  const mime = block['mimeType'];
  return typeof mime === 'string' && /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(mime) ? mime : otherwise;
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
