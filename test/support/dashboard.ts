/** The dashboard over real HTTP, on ports that live in memory. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { defaultConfig, type Config } from '@palimpsest/core';
import { createPages, startHttp, type PagesDeps } from '@palimpsest/dashboard';
import { FakeWorld } from './dashboard-world.ts';

export interface PagesUnderTest extends AsyncDisposable {
  world: FakeWorld;
  url: string;
  port: number;
  /** Host header and Origin of our own pages. */
  origin: string;
  /** What is answered, in the order a request meets it; guards are among them. */
  routes: readonly { method: string; path: string }[];
  close(): Promise<void>;
}

export interface PagesWish {
  world?: FakeWorld;
  password?: string;
  viewerPassword?: string;
  /** What whoever comes without a password may do. */
  role?: 'viewer' | 'operator';
  publicHost?: string;
  port?: number;
  host?: string;
  deps?: Partial<PagesDeps>;
}

export async function startPages(wish: PagesWish = {}): Promise<PagesUnderTest> {
  const world = wish.world ?? new FakeWorld();
  const config: Config = defaultConfig();
  config.server.public_host = wish.publicHost ?? null;
  config.dashboard.role_without_password = wish.role ?? 'operator';
  const password = wish.password ?? null;
  const app = createPages({
    ...world.deps(),
    config,
    password,
    viewerPassword: wish.viewerPassword ?? null,
    ...wish.deps,
  });
  const http = await startHttp({ app, host: wish.host ?? '127.0.0.1', port: wish.port ?? 0, password });
  return {
    world,
    url: http.url,
    port: http.port,
    origin: http.url,
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    close: () => http.close(),
    [Symbol.asyncDispose]: () => http.close(),
  };
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json(): Record<string, unknown>;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One plain HTTP request; unlike fetch it may set Host and Origin as an attacker's browser would. */
export function ask(url: string, options: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: options.method ?? 'GET', headers: options.headers }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
        }),
      );
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(options.body);
  });
}

export function postMessage(
  pages: PagesUnderTest,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(`${pages.url}/api/chat/main/messages`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: pages.origin, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export interface SeenEvent {
  event: string;
  id: string | null;
  data: unknown;
}

export interface LiveStream extends Disposable {
  /** The next event of that name, in order of arrival; others are passed over. */
  next(event: string): Promise<SeenEvent>;
  /** Resolves when the server ended the stream. */
  ended: Promise<void>;
}

/** Listen to server-sent events. */
export function listen(url: string, headers: Record<string, string>): Promise<LiveStream> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream answered ${response.statusCode}`));
      response.setEncoding('utf8');
      const seen: SeenEvent[] = [];
      let wake: () => void = () => {};
      let rest = '';
      response.on('data', (piece: string) => {
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        seen.push(...blocks.flatMap((block) => readEvent(block)));
        wake();
      });
      const ended = new Promise<void>((done) => response.on('close', done));
      resolve({
        ended,
        async next(event) {
          for (;;) {
            while (seen.length > 0) {
              const first = seen.shift()!;
              if (first.event === event) return first;
            }
            await new Promise<void>((done) => (wake = done));
          }
        },
        [Symbol.dispose]: () => call.destroy(),
      });
    });
    call.on('error', reject);
    call.end();
  });
}

function readEvent(block: string): SeenEvent[] {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const event = field('event');
  return event
    ? [{ event, id: field('id') ?? null, data: JSON.parse(field('data') ?? 'null') as unknown }]
    : [];
}
