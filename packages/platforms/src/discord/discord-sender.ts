/** Sends over REST only, so it works in any process, with or without the gateway connection. */
import type {
  AccountRef,
  ChatPlace,
  Clock,
  Logger,
  Markup,
  MessageRef,
  Meter,
  OutgoingPart,
  PlatformSender,
  ReactionSign,
  SendResult,
  SplitOptions,
} from '@palimpsest/core';
import { DiscordAPIError, MessageFlags, REST, Routes } from 'discord.js';
import { usualFileOverParts } from '../text/with-file.ts';
import { answerInteraction } from './answer-interaction.ts';
import { findSent } from './find-sent.ts';
import { accountOfToken } from './account-of-token.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { refuseLongWaits } from './rest-limits.ts';
import { sendResultOf } from './send-result.ts';
import { showSign, unknownMessage, unlessCode } from './show-sign.ts';
import { steadied } from './steady-limits.ts';
import { splitForDiscord } from './split-for-discord.ts';

/** Under the sender's lease of 30 s. */
const requestTimeoutMs = 15_000;
const typingTimeoutMs = 5_000;
/** "A few minutes" is all Discord says about how long a nonce is remembered; until here it is trusted. */
const nonceTrustMs = 60_000;
const lostAnswersKept = 1_000;
const nonceLength = 25;
/** 160002: no right to read the history, so no right to reply; 50035 on the reference: the target takes no replies. */
const noReadHistory = 160_002;

export interface DiscordSenderOptions {
  token: string;
  /** What `rest.api` of discord.js takes; null = Discord itself. */
  apiRoot: string | null;
  logger: Logger;
  meter: Meter;
  clock: Clock;
  /** Refused requests of everything that asks Discord from this address. */
  invalidRequests: InvalidRequests;
  /** Requests per second over all chats; Discord allows 50. */
  restRequestsPerSecond?: number;
  /** Answers of more parts than this go out as their first part and a file; 0 = never; 5 if not set. */
  fileOverParts?: number;
}

/** `mayBeOut`: a former process died between the request and the receipt, so the channel is read before it is sent. */
type Part = OutgoingPart & { mayBeOut?: boolean };

export class DiscordSender implements PlatformSender {
  readonly account: AccountRef;
  /** Discord shows typing for about 10 s. */
  readonly typingEveryMs = 8_000;
  readonly repeatIsSafe = true;
  readonly #client: REST;
  readonly #options: DiscordSenderOptions;
  /** Nonce → when the part was first sent, for parts whose answer was lost; oldest first. */
  readonly #lost = new Map<string, number>();

  constructor(options: DiscordSenderOptions) {
    this.#options = options;
    this.account = accountOfToken(options.token);
    this.#client = new REST({
      version: '10',
      ...(options.apiRoot === null ? {} : { api: options.apiRoot }),
      // The outbox repeats: every attempt is a row there, and none outlives the sender's lease.
      retries: 0,
      timeout: requestTimeoutMs,
      rejectOnRateLimit: refuseLongWaits,
      globalRequestsPerSecond: options.restRequestsPerSecond ?? 50,
    }).setToken(options.token);
    options.invalidRequests.watch(this.#client);
  }

  get #rest(): REST {
    return steadied(this.#client);
  }

  split(text: string, markup: Markup, { noFile = false, fileCaption }: SplitOptions = {}) {
    const { fileOverParts = usualFileOverParts } = this.#options;
    return splitForDiscord(text, { markup, fileOverParts: noFile ? 0 : fileOverParts, fileCaption });
  }

  async send(part: Part, signal: AbortSignal): Promise<SendResult> {
    const firstAt = this.#lost.get(part.nonce);
    const sentAt = this.#options.clock.now().getTime();
    const result = await this.#attempt(async () => {
      const answered = await this.#answer(part, { nowMs: sentAt, signal });
      if (answered !== null) return answered;
      const mustLook = part.mayBeOut === true || (firstAt !== undefined && sentAt - firstAt > nonceTrustMs);
      const found = mustLook ? await this.#find(part, firstAt, signal) : null;
      return found ?? (await this.#post(part, signal));
    });
    this.#noteLost(part.nonce, result, firstAt ?? sentAt);
    if (isFile(part) && isRefusal(result)) return { kind: 'file_refused', message: result.message };
    return result;
  }

  async edit(part: OutgoingPart & { platformMessageId: string }, signal: AbortSignal): Promise<SendResult> {
    const route = Routes.channelMessage(part.place.chatId, part.platformMessageId);
    const body = { content: part.text, ...quiet() };
    return this.#attempt(async () => {
      await this.#rest.patch(route, { body, signal });
      return part.platformMessageId;
    });
  }

  async remove({ place, platformMessageId }: MessageRef, signal: AbortSignal): Promise<SendResult> {
    return this.#attempt(async () => {
      await this.#rest
        .delete(Routes.channelMessage(place.chatId, platformMessageId), { signal })
        .catch(unlessCode(unknownMessage));
      return platformMessageId;
    });
  }

  async react(message: MessageRef, sign: ReactionSign, signal: AbortSignal): Promise<SendResult> {
    const result = await this.#attempt(async () => {
      await showSign(this.#rest, { message, sign }, signal);
      return message.platformMessageId;
    });
    // Signs have a limit of their own, which must not keep answers waiting.
    return result.kind === 'wait' && result.scope === 'chat'
      ? { kind: 'failed', message: 'too many signs' }
      : result;
  }

  async typing(place: ChatPlace): Promise<void> {
    if (this.#options.invalidRequests.restMs() > 0) return;
    try {
      await this.#rest.post(Routes.channelTyping(place.chatId), {
        signal: AbortSignal.timeout(typingTimeoutMs),
      });
    } catch (thrown) {
      // Typing is never worth an error; only the token has to be put back.
      this.#keepToken(thrown);
    }
  }

  async close(): Promise<void> {
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
  }

  async #attempt(request: () => Promise<string>): Promise<SendResult> {
    const restMs = this.#options.invalidRequests.restMs();
    if (restMs > 0) return { kind: 'wait', waitMs: restMs, scope: 'account' };
    try {
      return { kind: 'sent', platformMessageId: await request() };
    } catch (thrown) {
      this.#keepToken(thrown);
      return sendResultOf(thrown);
    }
  }

  async #post(part: OutgoingPart, signal: AbortSignal): Promise<string> {
    try {
      return await this.#postBody(part, signal);
    } catch (thrown) {
      if (part.replyToMessageId === undefined || !isReplyRefused(thrown)) throw thrown;
      return this.#postBody({ ...part, replyToMessageId: undefined }, signal);
    }
  }

  async #postBody(part: OutgoingPart, signal: AbortSignal): Promise<string> {
    const { replyToMessageId: messageId } = part;
    const reference =
      messageId === undefined
        ? {}
        : { message_reference: { message_id: messageId, fail_if_not_exists: false } };
    const body = {
      content: contentOf(part),
      nonce: part.nonce.slice(0, nonceLength),
      enforce_nonce: true,
      ...quiet(),
      ...reference,
    };
    const answer = (await this.#rest.post(Routes.channelMessages(part.place.chatId), {
      body,
      signal,
      ...filesOf(part),
    })) as { id: string };
    return answer.id;
  }

  /** Null: no slash command waits for this part. */
  async #answer(part: Part, at: { nowMs: number; signal: AbortSignal }): Promise<string | null> {
    const { interaction } = part;
    if (interaction === undefined || isFile(part)) return null;
    const body = { content: contentOf(part), ...quiet() };
    return answerInteraction(this.#rest, { interaction, body, ...at });
  }

  #find(part: OutgoingPart, firstAt: number | undefined, signal: AbortSignal): Promise<string | null> {
    return findSent(
      { rest: this.#rest, botId: this.account.id, signal },
      {
        channelId: part.place.chatId,
        nonce: part.nonce.slice(0, nonceLength),
        text: contentOf(part),
        ...(part.form?.kind === 'payload' && { fileName: part.form.name }),
        firstAt,
      },
    );
  }

  #noteLost(nonce: string, result: SendResult, firstAt: number): void {
    if (result.kind === 'sent' || result.kind === 'failed') this.#lost.delete(nonce);
    if (result.kind !== 'unknown' || this.#lost.has(nonce)) return;
    this.#lost.set(nonce, firstAt);
    const [oldest] = this.#lost.keys();
    if (this.#lost.size > lostAnswersKept && oldest !== undefined) this.#lost.delete(oldest);
  }

  /** The library forgets its token at the first 401 and would fail without asking from then on. */
  #keepToken(thrown: unknown): void {
    if (!(thrown instanceof DiscordAPIError) || thrown.status !== 401) return;
    this.#rest.setToken(this.#options.token);
    this.#options.logger.error(
      { account: this.account.id },
      'Discord refused the token (401); check DISCORD_BOT_TOKEN',
    );
  }
}

function isFile({ form }: OutgoingPart): boolean {
  return form?.kind === 'file' || form?.kind === 'payload';
}

function filesOf({ form, text, bytes }: OutgoingPart) {
  if (form?.kind === 'file') return { files: [{ name: form.name, data: Buffer.from(text) }] };
  if (form?.kind !== 'payload') return {};
  return { files: [{ name: form.name, data: Buffer.from(bytes ?? []), contentType: form.mime }] };
}

function contentOf({ text, form }: OutgoingPart): string {
  return form?.kind === 'file' ? form.caption : text;
}

/** Nobody is pinged whatever the text says, and links unfold nothing. */
function quiet() {
  return { allowed_mentions: { parse: [], replied_user: false }, flags: MessageFlags.SuppressEmbeds };
}

/** Without the right "Attach Files", or over the size a server takes; a channel that is gone refuses the text, too. */
function isRefusal(result: SendResult): result is Extract<SendResult, { message: string }> {
  return result.kind === 'unreachable' || result.kind === 'failed';
}

function isReplyRefused(thrown: unknown): boolean {
  if (!(thrown instanceof DiscordAPIError)) return false;
  const fields = 'errors' in thrown.rawError ? thrown.rawError.errors : undefined;
  return (
    thrown.code === noReadHistory ||
    (typeof fields === 'object' && fields !== null && 'message_reference' in fields)
  );
}
