/** Reads the parameters of one HTTP call: query string + body in any of the three codings. */
import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { isObject } from './types.ts';
import { UploadedFile } from './uploaded-file.ts';

/** Parameters as they came, still coded. */
export interface RawCall {
  /** JSON values keep their types; form values are all strings. */
  readonly coding: 'json' | 'form';
  readonly fields: [name: string, value: unknown][];
  readonly files: Map<string, UploadedFile>;
  /** What is wrong with the coding itself. */
  readonly problems: string[];
}

/**
 * Read a request to its end.
 *
 * returns  the parameters; a body that cannot be read gives a problem, never a throw
 */
export async function readCall(request: IncomingMessage, query: URLSearchParams): Promise<RawCall> {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    const call = await readMultipart(request);
    call.fields.push(...query.entries());
    return call;
  }
  const body = await readText(request);
  return readBody(type, body, query);
}

/** Read a body that is already in memory; also used for calls inside webhook answers. */
export function readBody(type: string, body: string, query = new URLSearchParams()): RawCall {
  if (type.startsWith('application/json')) return readJson(body, query);
  const call: RawCall = {
    coding: 'form',
    fields: [...query.entries()],
    files: new Map(),
    problems: [],
  };
  if (type.startsWith('application/x-www-form-urlencoded')) {
    call.fields.push(...new URLSearchParams(body).entries());
  } else if (body !== '') {
    call.problems.push(`content type "${type}" carries no parameters`);
  }
  return call;
}

async function readText(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8');
}

async function readBytes(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

function readJson(body: string, query: URLSearchParams): RawCall {
  const call: RawCall = {
    coding: 'json',
    fields: [...query.entries()],
    files: new Map(),
    problems: [],
  };
  try {
    const value: unknown = body === '' ? {} : JSON.parse(body);
    if (isObject(value)) call.fields.push(...Object.entries(value));
    else call.problems.push('the JSON body is not an object');
  } catch {
    call.problems.push('the JSON body cannot be parsed');
  }
  return call;
}

async function readMultipart(request: IncomingMessage): Promise<RawCall> {
  const call: RawCall = { coding: 'form', fields: [], files: new Map(), problems: [] };
  const reading: Promise<void>[] = [];
  const parser = busboy({ headers: request.headers, defParamCharset: 'utf8' });
  parser.on('field', (name, value) => call.fields.push([name, value]));
  parser.on('file', (name, stream, info) => {
    const keep = (bytes: Buffer) => {
      call.files.set(name, new UploadedFile(info.filename ?? name, info.mimeType, bytes));
    };
    reading.push(readBytes(stream).then(keep));
  });
  await new Promise<void>((resolve) => {
    parser.on('close', resolve);
    parser.on('error', (cause) => {
      call.problems.push(`the multipart body cannot be parsed: ${String(cause)}`);
      resolve();
    });
    request.pipe(parser);
  });
  await Promise.all(reading);
  return call;
}
