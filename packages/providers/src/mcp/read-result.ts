import { createHash } from 'node:crypto';
import { cleanText, type FileToSend, type NewPayload, type ToolResult } from '@palimpsest/core';

type Block = Record<string, unknown>;

/** More files than this in one result are only counted. */
const maxPayloads = 20;
const longestName = 100;

/**
 * The result of a call as text for the model. Images, sound and files are kept beside the transcript; the text says what
 * they are and how a text among them can be read.
 *
 * result         what the server answered: `{ content, structuredContent, isError }`, nothing of it trusted
 * maxCharacters  the text is cut off there, with a note
 */
export function readResult(result: Record<string, unknown>, maxCharacters: number): ToolResult {
  const payloads: NewPayload[] = [];
  const files: FileToSend[] = [];
  const keep = (payload: NewPayload, file: KeptFile): boolean => {
    if (payloads.length >= maxPayloads) return false;
    payloads.push(payload);
    if (file.isForPerson)
      files.push({ payloadId: payload.id, mime: payload.mime, name: file.name, caption: '' });
    return true;
  };
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const lines = content.filter(isObject).map((block) => lineOf(block, keep));
  const structured = result['structuredContent'];
  if (lines.length === 0 && structured !== undefined) lines.push(JSON.stringify(structured));
  const text = cleanText(lines.join('\n'));
  const isError = result['isError'] === true;
  const shown = text === '' ? 'The tool ended and said nothing.' : cut(text, maxCharacters);
  return {
    text: shown,
    isError,
    ...(payloads.length > 0 && { payloads }),
    ...(files.length > 0 && !isError && { files }),
  };
}

/** What a kept content is called, and whether the server made it for the person (its `audience`). */
interface KeptFile {
  name: string;
  isForPerson: boolean;
}
type Keep = (payload: NewPayload, file: KeptFile) => boolean;

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const rest = text.length - maxCharacters;
  return `${text.slice(0, maxCharacters).toWellFormed()}\n[… ${rest} more characters were cut off; ask for less at once …]`;
}

function lineOf(block: Block, keep: Keep): string {
  const { type } = block;
  if (type === 'text') return textIn(block['text']);
  if (type === 'image' || type === 'audio')
    return binary(String(type), block, (payload) =>
      keep(payload, { name: nameByMime(payload.mime), isForPerson: isForPerson(block) }),
    );
  if (type === 'resource_link') return `[link to ${textIn(block['name'])}: ${textIn(block['uri'])}]`;
  const resource = block['resource'];
  if (type !== 'resource' || !isObject(resource)) return '[content of an unknown kind was left out]';
  return resourceLine(resource, { keep, isForPerson: isForPerson(block) });
}

function resourceLine(resource: Block, to: { keep: Keep; isForPerson: boolean }): string {
  const name = `file ${textIn(resource['uri'])}`;
  const fileName = lastOfPath(textIn(resource['uri']));
  const keep = (payload: NewPayload): boolean =>
    to.keep(payload, {
      name: fileName === '' ? nameByMime(payload.mime) : fileName,
      isForPerson: to.isForPerson,
    });
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

/** Both the person and the model is for both. */
function isForPerson(block: Block): boolean {
  const annotations = block['annotations'];
  const audience = isObject(annotations) ? annotations['audience'] : undefined;
  return Array.isArray(audience) && audience.includes('user');
}

/** `file:///tmp/a%20plan.pdf?x` is `a plan.pdf`; empty where nothing of it is a name. */
function lastOfPath(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  return decoded(last)
    .replaceAll(/[\p{Cc}\p{Cf}\\/<>:"|?*]/gu, '')
    .trim()
    .slice(0, longestName)
    .toWellFormed();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `image/png` is `image.png`. */
function nameByMime(mime: string): string {
  const [kind = 'file', extension = 'bin'] = mime.split('/');
  return `${kind}.${extension.replace(/^.*[+.-]/, '')}`;
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
