/** The HTTP side of webhook mode: secret → size → JSON → store → 200. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** What the web server hands over: the header X-Telegram-Bot-Api-Secret-Token and the whole body. */
export interface WebhookRequest {
  secret: string | null;
  body: Uint8Array;
}

export interface WebhookAnswer {
  status: number;
  body: string;
}

/** The route Telegram calls. `handle` never throws. */
export interface TelegramWebhook {
  path: '/telegram/webhook';
  handle(request: WebhookRequest): Promise<WebhookAnswer>;
}

const longestBodyBytes = 1024 * 1024;

/** Takes an update; resolves when it is committed, rejects when it is not. */
export type TakeUpdate = (raw: Uint8Array) => Promise<unknown>;

/** The route, and where the listener stands behind it while it runs. */
export class WebhookDoor implements TelegramWebhook {
  readonly path = '/telegram/webhook';
  readonly #secretHash: Buffer;
  #take: TakeUpdate | null = null;

  constructor(secret: string) {
    this.#secretHash = hashOf(secret);
  }

  /** Let updates in; null while nobody can store them. */
  open(take: TakeUpdate | null): void {
    this.#take = take;
  }

  /**
   * 200 only after the commit; 503 when nothing was stored, so that Telegram comes again; 401, 413 and 400 for what
   * Telegram does not send. The body of the answer stays empty: it would count as a call.
   */
  async handle({ secret, body }: WebhookRequest): Promise<WebhookAnswer> {
    if (secret === null || !timingSafeEqual(hashOf(secret), this.#secretHash))
      return { status: 401, body: 'wrong secret' };
    if (body.byteLength > longestBodyBytes) return { status: 413, body: 'body over 1 MB' };
    if (!isJson(body)) return { status: 400, body: 'not JSON' };
    if (!this.#take) return { status: 503, body: 'starting or stopping' };
    try {
      await this.#take(body);
      return { status: 200, body: '' };
    } catch {
      return { status: 503, body: 'not stored' };
    }
  }
}

// Hashes have one length, so the comparison says nothing about the secret's.
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(body));
    return true;
  } catch {
    return false;
  }
}
