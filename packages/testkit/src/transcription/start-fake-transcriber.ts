/** A server that speaks /audio/transcriptions as OpenAI's does, over loopback, and refuses what that refuses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const path = '/v1/audio/transcriptions';
const mostBytes = 25 * 1024 * 1024;
/** Endings by which the service tells the format. */
const endings = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'];
const fields = new Set([
  'file',
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'stream',
  'chunking_strategy',
]);

/** A recording as it arrived. */
export interface HeardRecording {
  model: string;
  fileName: string;
  mime: string;
  bytes: Uint8Array;
}

export interface FakeTranscriber extends AsyncDisposable {
  /** For `media.transcription.base_url`. */
  readonly baseUrl: string;
  readonly heard: readonly HeardRecording[];
  /** What a caller got wrong; must stay empty. */
  readonly violations: readonly string[];
  /** The next calls end with this status. */
  failNext(status: number, times?: number): void;
}

/** `words`: what is said in a recording. `apiKey` null: any. */
export async function startFakeTranscriber(options: {
  words: (recording: HeardRecording) => string | Promise<string>;
  apiKey?: string;
}): Promise<FakeTranscriber> {
  const heard: HeardRecording[] = [];
  const violations: string[] = [];
  const failures: number[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, message: string): void => {
      if (status === 400) violations.push(message);
      send(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
    };
    if (`${request.method} ${request.url}` !== `POST ${path}`)
      return refuse(404, `Invalid URL (${request.method} ${request.url})`);
    const { apiKey } = options;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(401, 'Incorrect API key provided.');
    const form = await readForm(request);
    const failure = failures.shift();
    if (failure !== undefined) return refuse(failure, 'The server had an error.');
    const recording = form && (await recordingOf(form));
    if (!recording) return refuse(400, 'Could not parse multipart form');
    const problem = problemOf(form, recording);
    if (problem !== null) return refuse(problem.status, problem.message);
    heard.push(recording);
    send(response, 200, { text: await options.words(recording) });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    heard,
    violations,
    failNext: (status, times = 1) => void failures.push(...Array.from({ length: times }, () => status)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readForm(request: IncomingMessage): Promise<FormData | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  return new Response(Buffer.concat(chunks), { headers }).formData().catch(() => null);
}

async function recordingOf(form: FormData): Promise<HeardRecording | null> {
  const [file, model] = [form.get('file'), form.get('model')];
  if (!(file instanceof File) || typeof model !== 'string') return null;
  return { model, fileName: file.name, mime: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}

function problemOf(
  form: FormData,
  { fileName, bytes }: HeardRecording,
): { status: number; message: string } | null {
  const unknown = [...form.keys()].find((name) => !fields.has(name));
  if (unknown !== undefined) return { status: 400, message: `Unrecognized request argument: ${unknown}` };
  if (bytes.length > mostBytes) return { status: 413, message: 'Maximum content size limit exceeded' };
  if (bytes.length === 0) return { status: 400, message: 'Audio file is too short.' };
  if (!endings.includes(fileName.split('.').at(-1) ?? ''))
    return { status: 400, message: `Invalid file format. Supported formats: ${endings.join(', ')}` };
  return null;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
