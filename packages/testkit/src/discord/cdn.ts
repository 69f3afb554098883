/** Attachment links: signed, and dead after a day (parameters ex, is and hm). */
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { FakeDiscordClock } from './options.ts';
import type { WireObject } from './wire-shape.ts';
import type { StoredAttachment } from './world.ts';

// Discord presets the expiry; about a day in practice.
const linkLifeMs = 24 * 60 * 60_000;

/** Serves attachment bytes; fetching a message again gives a fresh link to the same bytes. */
export class Cdn {
  readonly #clock: FakeDiscordClock;
  readonly #key = 'fake-discord-cdn';
  readonly #files = new Map<string, StoredAttachment>();
  /** Root of the links, set once the server listens. */
  baseUrl = '';

  constructor(clock: FakeDiscordClock) {
    this.#clock = clock;
  }

  show(channelId: string, attachment: StoredAttachment): WireObject {
    const path = `/attachments/${channelId}/${attachment.id}/${encodeURIComponent(attachment.filename)}`;
    this.#files.set(path, attachment);
    const now = this.#clock.now();
    const [expires, issued] = [hexSeconds(now + linkLifeMs), hexSeconds(now)];
    const url = `${this.baseUrl}${path}?ex=${expires}&is=${issued}&hm=${this.#sign(path, expires, issued)}&`;
    return {
      id: attachment.id,
      filename: attachment.filename,
      size: attachment.bytes.byteLength,
      content_type: attachment.contentType,
      url,
      proxy_url: url,
    };
  }

  /** Answer a download: 404 with Discord's sentence when the link is expired, forged or unknown. */
  serve(path: string, query: URLSearchParams, response: ServerResponse): void {
    const [expires, issued] = [query.get('ex') ?? '', query.get('is') ?? ''];
    const file = this.#files.get(path);
    const alive = Number.parseInt(expires, 16) * 1000 > this.#clock.now();
    if (file === undefined || !alive || query.get('hm') !== this.#sign(path, expires, issued)) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('This content is no longer available.');
      return;
    }
    response
      .writeHead(200, { 'content-type': file.contentType, 'content-length': file.bytes.byteLength })
      .end(file.bytes);
  }

  #sign(path: string, expires: string, issued: string): string {
    return createHmac('sha256', this.#key).update(`${path} ${expires} ${issued}`).digest('hex');
  }
}

function hexSeconds(ms: number): string {
  return Math.trunc(ms / 1000).toString(16);
}
