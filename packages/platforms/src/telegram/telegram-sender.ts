/** The outgoing half: split → sendMessage, one part a call. */
import type { AccountRef, ChatPlace, OutgoingPart, PlatformSender, SendResult } from '@palimpsest/core';
import type { Api } from 'grammy';
import { splitText } from '../text/split-text.ts';
import { isTokenRefused, readFailure, type BotApiFailure } from './read-failure.ts';
import { toSendResult } from './send-result.ts';
import { clientSignal, type TelegramAccount } from './telegram-account.ts';

/** Telegram takes 4,096; the rest is room for the mark of a repeated part. */
const partUnits = 4096 - 64;
/** A send under way when we stop gets this long to learn what became of it: an unknown result is worse than a short wait. */
const graceMs = 3_000;
const generalTopic = '1';

export interface TelegramSenderOptions {
  account: TelegramAccount;
  api: Api;
  /** Whether the chat is known to be a forum. */
  isForum(chatId: string): boolean;
}

type Attempt = { kind: 'sent'; platformMessageId: string } | { kind: 'failed'; failure: BotApiFailure };

export class TelegramSender implements PlatformSender {
  readonly account: AccountRef;
  /** Telegram shows it for 5 s. */
  readonly typingEveryMs = 4_500;
  /** Telegram knows no key for repeats. */
  readonly repeatIsSafe = false;
  readonly #options: TelegramSenderOptions;

  constructor(options: TelegramSenderOptions) {
    this.account = { platform: 'telegram', id: options.account.botId };
    this.#options = options;
  }

  split(text: string): readonly string[] {
    return splitText(text, { limit: partUnits });
  }

  async send(part: OutgoingPart, signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return { kind: 'retry', message: 'stopping' };
    const attempt = await this.#attempt(part, signal);
    if (attempt.kind === 'sent') return attempt;
    const { failure } = attempt;
    this.#report(failure);
    if (isGone(failure, 'message thread not found') && threadOf(part.place) !== undefined)
      return this.#sendOutsideTopic(part, signal);
    if (isGone(failure, 'message to be replied not found') && part.replyToMessageId !== undefined) {
      return resultOf(await this.#attempt({ ...part, replyToMessageId: undefined }, signal));
    }
    return toSendResult(failure);
  }

  async typing({ chatId, threadId }: ChatPlace): Promise<void> {
    // General has an id for this call only, and only where there are topics.
    const thread = threadId === '' && this.#options.isForum(chatId) ? generalTopic : threadId;
    await this.#options.api.sendChatAction(
      Number(chatId),
      'typing',
      thread === '' ? {} : { message_thread_id: Number(thread) },
    );
  }

  async close(): Promise<void> {}

  /** The topic was deleted. The answer goes to the chat once, without a reply: what it answers is in the topic. */
  async #sendOutsideTopic(part: OutgoingPart, signal: AbortSignal): Promise<SendResult> {
    const { chatId, threadId } = part.place;
    const { account } = this.#options;
    account.logger.warn(
      { botId: account.botId, chatId, threadId },
      'the topic of an answer is gone; the answer goes to the chat itself',
    );
    return resultOf(
      await this.#attempt(
        { ...part, place: { ...part.place, threadId: '' }, replyToMessageId: undefined },
        signal,
      ),
    );
  }

  async #attempt(part: OutgoingPart, signal: AbortSignal): Promise<Attempt> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startGrace = (): void => {
      timer = setTimeout(() => ending.abort(), graceMs);
    };
    signal.addEventListener('abort', startGrace, { once: true });
    try {
      const { text, ...options } = messageOf(part);
      const message = await this.#options.api.sendMessage(
        Number(part.place.chatId),
        text,
        options,
        clientSignal(ending.signal),
      );
      return { kind: 'sent', platformMessageId: String(message.message_id) };
    } catch (thrown) {
      return { kind: 'failed', failure: readFailure(thrown) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', startGrace);
    }
  }

  #report(failure: BotApiFailure): void {
    const { account } = this.#options;
    if (isTokenRefused(failure))
      account.logger.error(
        { botId: account.botId },
        'Telegram refuses the token; put a valid one into TELEGRAM_BOT_TOKEN',
      );
  }
}

/** The parameters of sendMessage. Formatting, once there is some, gives text and entities here and is split in `split`. */
function messageOf({ place, text, replyToMessageId }: OutgoingPart) {
  const thread = threadOf(place);
  return {
    text,
    link_preview_options: { is_disabled: true },
    ...(thread !== undefined && { message_thread_id: thread }),
    ...(replyToMessageId !== undefined && {
      reply_parameters: { message_id: Number(replyToMessageId), allow_sending_without_reply: true },
    }),
  };
}

/** General is left out: Telegram refuses its id for messages. */
function threadOf({ threadId }: ChatPlace): number | undefined {
  return threadId === '' || threadId === generalTopic ? undefined : Number(threadId);
}

function isGone(failure: BotApiFailure, wording: string): boolean {
  return failure.kind === 'refused' && failure.code === 400 && failure.description.includes(wording);
}

function resultOf(attempt: Attempt): SendResult {
  return attempt.kind === 'sent' ? attempt : toSendResult(attempt.failure);
}
