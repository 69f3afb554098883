/** Reads a REST body: JSON, or multipart with payload_json and files[n]. */
import busboy from 'busboy';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { refuse } from './rest-refusal.ts';

/** A file of a multipart request; `index` is the n of `files[n]`. */
export interface UploadedFile {
  index: string;
  filename: string;
  contentType: string;
  bytes: Uint8Array;
}

export interface RequestBody {
  /** Undefined when the request had no body. */
  json: unknown;
  files: UploadedFile[];
}

const maxRequestBytes = 25 * 1024 * 1024;

/** Take the whole body off the wire; throws 40005 over 25 MiB. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    total += chunk.byteLength;
    if (total <= maxRequestBytes) chunks.push(chunk);
  }
  if (total > maxRequestBytes) throw refuse.tooLarge();
  return Buffer.concat(chunks);
}

/** Decode the body; throws 50109 for JSON that does not parse. */
export async function decodeBody(bytes: Buffer, headers: IncomingHttpHeaders): Promise<RequestBody> {
  const contentType = headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return decodeMultipart(bytes, headers);
  if (bytes.byteLength === 0) return { json: undefined, files: [] };
  if (!contentType.startsWith('application/json')) throw refuse.invalidJson();
  return { json: parseJson(bytes.toString('utf8')), files: [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse.invalidJson();
  }
}

type Part = Omit<UploadedFile, 'bytes'>;

function decodeMultipart(bytes: Buffer, headers: IncomingHttpHeaders): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    const form = busboy({ headers, preservePath: false });
    const files: UploadedFile[] = [];
    let payload: string | undefined;
    form.on('field', (name, value) => {
      if (name === 'payload_json') payload = value;
    });
    form.on('file', (name, stream, info) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const part = readPart(name, info.filename ?? 'file', info.mimeType);
        if (part !== undefined) files.push({ ...part, bytes: Buffer.concat(chunks) });
      });
    });
    form.on('error', reject);
    form.on('close', () => {
      try {
        resolve({ json: payload === undefined ? {} : parseJson(payload), files });
      } catch (error) {
        reject(error);
      }
    });
    Readable.from([bytes]).pipe(form);
  });
}

/** Discord reads only parts called `files[n]`. */
function readPart(name: string, filename: string, contentType: string): Part | undefined {
  const index = /^files\[(\d+)\]$/.exec(name)?.[1];
  return index === undefined ? undefined : { index, filename, contentType };
}
