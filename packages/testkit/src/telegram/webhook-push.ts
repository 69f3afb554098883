/** Pushes updates to the bot's address: order kept within a chat, repeated until 2xx. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeTelegramClock, Update } from './types.ts';
import { isObject } from './types.ts';
import { updateKind } from './update-kinds.ts';
import type { UpdateQueue } from './update-queue.ts';

/** What setWebhook said. */
export interface WebhookSetting {
  readonly url: string;
  readonly secretToken?: string;
  readonly maxConnections: number;
}

/** What the pusher needs from the server. */
export interface WebhookPushOptions {
  readonly queue: UpdateQueue;
  readonly clock: FakeTelegramClock;
  /** First pause after a refusal; doubles up to forty times as long. */
  readonly retryMs: number;
  /** Longest wait for the bot's answer; the real server waits 60 s. */
  readonly answerMs: number;
  /** Carry out a call that stood in the bot's answer. */
  readonly runReply: (contentType: string, body: string) => Promise<void>;
}

const LONGEST_FACTOR = 40;

/** The running webhook; one object for each setWebhook. */
export class WebhookPush {
  readonly setting: WebhookSetting;
  readonly #options: WebhookPushOptions;
  readonly #stopped = new AbortController();
  readonly #busyLanes = new Set<string>();
  readonly #unsubscribe: () => void;
  lastError: { date: number; message: string } | undefined;

  constructor(setting: WebhookSetting, options: WebhookPushOptions) {
    this.setting = setting;
    this.#options = options;
    this.#unsubscribe = options.queue.onArrival(() => this.#startLanes());
    this.#startLanes();
  }

  /** Stop pushing; what was not taken stays pending. */
  stop(): void {
    this.#stopped.abort();
    this.#unsubscribe();
  }

  #startLanes(): void {
    for (const update of this.#options.queue.list()) {
      const lane = laneOf(update);
      const full = this.#busyLanes.size >= this.setting.maxConnections;
      if (full || this.#busyLanes.has(lane) || this.#stopped.signal.aborted) continue;
      this.#busyLanes.add(lane);
      void this.#runLane(lane);
    }
  }

  async #runLane(lane: string): Promise<void> {
    let factor = 1;
    for (;;) {
      const update = this.#options.queue.list().find((pending) => laneOf(pending) === lane);
      if (!update || this.#stopped.signal.aborted) break;
      if (await this.#deliver(update)) {
        this.#options.queue.confirm(update);
        factor = 1;
      } else {
        await pause(this.#options.retryMs * factor, undefined, {
          signal: this.#stopped.signal,
        }).catch(() => {});
        factor = Math.min(factor * 2, LONGEST_FACTOR);
      }
    }
    this.#busyLanes.delete(lane);
    if (!this.#stopped.signal.aborted) this.#startLanes();
  }

  async #deliver(update: Update): Promise<boolean> {
    try {
      const answer = await this.#post(update);
      const body = await answer.text();
      if (!answer.ok)
        return this.#fail(`Wrong response from the webhook: ${answer.status} ${answer.statusText}`);
      const type = answer.headers.get('content-type') ?? '';
      if (body !== '' && /json|urlencoded/.test(type)) await this.#options.runReply(type, body);
      return true;
    } catch (cause) {
      if (this.#stopped.signal.aborted) return false;
      const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
      return this.#fail(timedOut ? 'Read timeout expired' : 'Connection refused');
    }
  }

  #post(update: Update): Promise<Response> {
    const { url, secretToken } = this.setting;
    const headers = new Headers({ 'content-type': 'application/json' });
    if (secretToken !== undefined) headers.set('X-Telegram-Bot-Api-Secret-Token', secretToken);
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#options.answerMs)]);
    return fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(update),
      redirect: 'manual',
      signal,
    });
  }

  #fail(message: string): false {
    this.lastError = { date: Math.floor(this.#options.clock.now().getTime() / 1000), message };
    return false;
  }
}

/** Updates of one chat go one after another; those without a chat share one lane for each kind. */
function laneOf(update: Update): string {
  const kind = updateKind(update);
  const body = update[kind];
  const message = isObject(body) && isObject(body.message) ? body.message : body;
  const chat = isObject(message) ? message.chat : undefined;
  return isObject(chat) ? `chat ${String(chat.id)}` : kind;
}
