/**
 * The REST server. Way of a request:
 * version → route → ban → ordered fault → token → limits → body → schema → route's own rules → answer (or cut line).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkLength } from './bot-messages.ts';
import { isObject } from './is-object.ts';
import { refusalBody, RateLimits, type LimitVerdict } from './rate-limits.ts';
import { decodeBody, readBytes, type RequestBody } from './request-body.ts';
import type { RequestSchemas } from './request-schemas.ts';
import { accountRoutes } from './rest-account-routes.ts';
import type { FakeParts, RestRoute } from './rest-call.ts';
import type { PreparedAnswer, RestFaults } from './rest-faults.ts';
import { interactionRoutes } from './rest-interaction-routes.ts';
import { messageRoutes } from './rest-message-routes.ts';
import { refuse, RestRefusal } from './rest-refusal.ts';
import { findRoute, matchTemplate, type TemplateMatch } from './route-match.ts';

/** One request as it came in and what it got; never holds the token. */
export interface JournalEntry {
  method: string;
  /** Path without /api/v10 and without the query. */
  path: string;
  /** The template of the route, or undefined for an unknown path. */
  route: string | undefined;
  query: Record<string, string>;
  body: unknown;
  files: number;
  /** Undefined until answered; 0 when the line was cut. */
  status: number | undefined;
  atMs: number;
}

const routes: readonly RestRoute[] = [...accountRoutes, ...messageRoutes, ...interactionRoutes];
const banWindowMs = 10 * 60_000;

export class RestServer {
  readonly requests: JournalEntry[] = [];
  readonly #parts: FakeParts;
  readonly #schemas: RequestSchemas;
  readonly #faults: RestFaults;
  readonly #limits: RateLimits;
  readonly #http: Server;
  #invalidAtMs: number[] = [];

  constructor(parts: FakeParts, schemas: RequestSchemas, faults: RestFaults) {
    this.#parts = parts;
    this.#schemas = schemas;
    this.#faults = faults;
    this.#limits = new RateLimits(parts.settings.clock, parts.settings.liftRateLimits);
    this.#http = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<string> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname.startsWith('/attachments/'))
      return this.#parts.cdn.serve(url.pathname, url.searchParams, response);
    const entry = this.#note(request.method ?? 'GET', url);
    try {
      const answer = await this.#answer(request, url, entry);
      if (answer.status < 300 && this.#faults.takeDrop(entry.method, entry.path))
        return this.#cut(request, entry);
      this.#send(response, entry, answer);
    } catch (error) {
      if (request.destroyed && !request.complete) return;
      this.#parts.violations.push(`rest: ${entry.method} ${entry.path} broke the fake: ${String(error)}`);
      this.#send(response, entry, { status: 500, body: { message: '500: Internal Server Error', code: 0 } });
    }
  }

  #note(method: string, url: URL): JournalEntry {
    const path = url.pathname.replace(/^\/api\/v10(?=\/)/, '');
    const query = Object.fromEntries(url.searchParams);
    const entry: JournalEntry = {
      method,
      path,
      route: undefined,
      query,
      body: undefined,
      files: 0,
      status: undefined,
      atMs: this.#parts.settings.clock.now(),
    };
    this.requests.push(entry);
    return entry;
  }

  /** The whole way of a request; refusals of every stage come out as answers. */
  async #answer(request: IncomingMessage, url: URL, entry: JournalEntry): Promise<PreparedAnswer> {
    let headers: Record<string, string> = {};
    try {
      const bytes = await readBytes(request);
      const match = this.#findRoute(entry, url);
      if (this.#isBanned())
        return {
          status: 429,
          body: '<html>error code: 1015</html>',
          headers: { 'content-type': 'text/html' },
        };
      const body = await decodeBody(bytes, request.headers);
      Object.assign(entry, { body: body.json, files: body.files.length });
      const prepared = this.#faults.takeAnswer(entry.method, entry.path);
      if (prepared !== undefined) return prepared;
      if (match.route.open !== true && request.headers.authorization !== `Bot ${this.#parts.settings.token}`)
        throw refuse.unauthorized();
      const verdict = this.#limit(match);
      headers = verdict.headers;
      if (verdict.kind === 'limited')
        return { status: 429, headers, body: refusalBody(verdict.retryAfterSeconds, verdict.global) };
      this.#checkBody(match.route, body);
      const answer = match.route.run(
        { params: match.params, query: url.searchParams, body: body.json, files: body.files },
        this.#parts,
      );
      return { ...answer, headers };
    } catch (error) {
      if (error instanceof RestRefusal) return { status: error.status, body: error.body, headers };
      throw error;
    }
  }

  #findRoute(entry: JournalEntry, url: URL): TemplateMatch<RestRoute> {
    if (!url.pathname.startsWith('/api/v10/')) {
      this.#parts.violations.push(`rest: ${entry.method} ${url.pathname} is not below /api/v10`);
      throw /^\/api\/v\d+\//.test(url.pathname) ? refuse.invalidVersion() : refuse.notFound();
    }
    const match = findRoute(routes, entry.method, entry.path);
    if (match !== undefined) {
      entry.route = match.route.template;
      return match;
    }
    const documented = this.#schemas.paths.some(
      (template) => matchTemplate(template, entry.path) !== undefined,
    );
    const reason = documented ? 'is not implemented by the fake' : 'does not exist on Discord';
    this.#parts.violations.push(`rest: ${entry.method} ${entry.path} ${reason}`);
    throw routes.some((route) => matchTemplate(route.template, entry.path))
      ? refuse.methodNotAllowed()
      : refuse.notFound();
  }

  #limit({ route, params }: TemplateMatch<RestRoute>): LimitVerdict {
    const majorId =
      params['channel_id'] ??
      params['guild_id'] ??
      params['webhook_token'] ??
      params['interaction_token'] ??
      '';
    const name = route.bucket ?? `${route.method} ${route.template}`;
    return this.#limits.take({ name, majorId, size: route.size, countsGlobally: route.open !== true });
  }

  #checkBody(route: RestRoute, body: RequestBody): void {
    const json = body.json;
    // A text that is too long has its own answer, which programs must handle; it is no broken body.
    checkLength(contentOf(json));
    const complaints = this.#schemas.check(route.method, route.template, withoutNoise(json));
    for (const complaint of complaints)
      this.#parts.violations.push(`rest: ${route.method} ${route.template}: ${complaint.text}`);
    if (complaints.some((complaint) => !complaint.ignorable))
      throw new RestRefusal([400, 50035, 'Invalid Form Body']);
  }

  #isBanned(): boolean {
    const since = this.#parts.settings.clock.now() - banWindowMs;
    this.#invalidAtMs = this.#invalidAtMs.filter((at) => at > since);
    return this.#invalidAtMs.length >= this.#parts.settings.invalidRequestLimit;
  }

  #cut(request: IncomingMessage, entry: JournalEntry): void {
    entry.status = 0;
    request.socket.destroy();
  }

  #send(response: ServerResponse, entry: JournalEntry, answer: PreparedAnswer): void {
    entry.status = answer.status;
    const isShared = answer.headers?.['x-ratelimit-scope'] === 'shared';
    if ([401, 403, 429].includes(answer.status) && !isShared)
      this.#invalidAtMs.push(this.#parts.settings.clock.now());
    if (answer.body === undefined) {
      response.writeHead(answer.status, answer.headers).end();
      return;
    }
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...answer.headers,
    });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  }
}

function contentOf(json: unknown): string | undefined {
  const content = isObject(json) ? json['content'] : undefined;
  return typeof content === 'string' ? content : undefined;
}

/** discord.js writes these two as false into every message body, also where Discord lists no such field. */
const libraryNoise = ['tts', 'enforce_nonce'];

function withoutNoise(json: unknown): unknown {
  if (!isObject(json)) return json;
  const entries = Object.entries(json).filter(
    ([key, value]) => !(libraryNoise.includes(key) && value === false),
  );
  const quiet = Object.fromEntries(entries);
  // An interaction callback carries its message below `data`.
  return isObject(quiet['data']) ? { ...quiet, data: withoutNoise(quiet['data']) } : quiet;
}
