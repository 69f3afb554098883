/** The outgoing half: split → sendMessage or sendDocument, one part a call; previews → editMessageText or sendMessageDraft. */
import type {
  AccountRef,
  ChatPlace,
  Markup,
  MessageRef,
  OutgoingPart,
  PlatformSender,
  ReactionSign,
  SendResult,
  SplitOptions,
} from '@palimpsest/core';
import type { Api } from 'grammy';
import { isTokenRefused, readFailure, type BotApiFailure } from './read-failure.ts';
import { changePart, showSign } from './change-message.ts';
import { toSendResult } from './send-result.ts';
import { sendPart } from './send-part.ts';
import { splitForTelegram } from './split-for-telegram.ts';
import { clientSignal, type TelegramAccount } from './telegram-account.ts';

/** A send under way when we stop gets this long to learn what became of it: an unknown result is worse than a short wait. */
const graceMs = 3_000;
const generalTopic = '1';

export interface TelegramSenderOptions {
  account: TelegramAccount;
  api: Api;
  /** Whether the chat is known to be a forum. */
  isForum(chatId: string): boolean;
  /** Answers of more parts than this go out as their first part and a file; 0 = never. */
  fileOverParts: number;
}

type Failed = { kind: 'failed'; failure: BotApiFailure };
type Attempt = { kind: 'sent'; platformMessageId: string } | Failed;
type Called<T> = { kind: 'sent'; value: T } | Failed;
type ClientSignal = ReturnType<typeof clientSignal>;

const formatRemark = 'Telegram refused the formatting; sent as plain text';

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

  split(text: string, markup: Markup, { noFile = false, fileCaption }: SplitOptions = {}) {
    const fileOverParts = noFile ? 0 : this.#options.fileOverParts;
    return splitForTelegram(text, { markup, fileOverParts, fileCaption });
  }

  async send(part: OutgoingPart, signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return { kind: 'retry', message: 'stopping' };
    const attempt = await this.#attempt(part, signal);
    if (attempt.kind === 'sent') return attempt;
    const { failure } = attempt;
    this.#report(failure);
    if (part.form?.kind === 'entities' && isFormatRefused(failure)) return this.#sendPlain(part, signal);
    if ((part.form?.kind === 'file' || part.form?.kind === 'payload') && isFileRefused(failure))
      return { kind: 'file_refused', message: failure.description };
    if (isGone(failure, 'message thread not found') && threadOf(part.place) !== undefined)
      return this.#sendOutsideTopic(part, signal);
    if (isGone(failure, 'message to be replied not found') && part.replyToMessageId !== undefined) {
      return resultOf(await this.#attempt({ ...part, replyToMessageId: undefined }, signal));
    }
    return toSendResult(failure);
  }

  async edit(part: OutgoingPart & { platformMessageId: string }, signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return { kind: 'retry', message: 'stopping' };
    const { platformMessageId } = part;
    const { api } = this.#options;
    const edited = await this.#call((ending) => changePart(api, part, ending), signal);
    if (edited.kind === 'sent') return { kind: 'sent', platformMessageId };
    const { failure } = edited;
    this.#report(failure);
    if (isGone(failure, 'message is not modified')) return { kind: 'sent', platformMessageId };
    if (part.form === undefined || !isFormatRefused(failure)) return toSendResult(failure);
    this.#reportFormat(part.place);
    const plain = await this.edit({ ...part, form: undefined }, signal);
    return plain.kind === 'sent' ? { ...plain, remark: formatRemark } : plain;
  }

  async remove({ place, platformMessageId }: MessageRef, signal: AbortSignal): Promise<SendResult> {
    const { api } = this.#options;
    const removed = await this.#call(
      (ending) => api.deleteMessage(Number(place.chatId), Number(platformMessageId), ending),
      signal,
    );
    const isAway = removed.kind === 'sent' || isGone(removed.failure, 'message to delete not found');
    return isAway ? { kind: 'sent', platformMessageId } : toSendResult(removed.failure);
  }

  async draft(
    { place, draftId, text }: { place: ChatPlace; draftId: number; text: string },
    signal: AbortSignal,
  ): Promise<SendResult> {
    const thread = threadOf(place);
    // Stopped, it stays until what was written so far comes as a message.
    const button = { can_stop: true, keep_on_stop: true };
    const options = thread === undefined ? button : { ...button, message_thread_id: thread };
    const { api } = this.#options;
    const shown = await this.#call(
      (ending) => api.sendMessageDraft(Number(place.chatId), draftId, text, options, ending),
      signal,
    );
    return shown.kind === 'sent' ? { kind: 'sent', platformMessageId: '' } : toSendResult(shown.failure);
  }

  async react(message: MessageRef, sign: ReactionSign, signal: AbortSignal): Promise<SendResult> {
    const { api } = this.#options;
    const shown = await this.#call((ending) => showSign(api, { message, sign }, ending), signal);
    const { platformMessageId } = message;
    return shown.kind === 'sent' ? { kind: 'sent', platformMessageId } : toSendResult(shown.failure);
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

  /** The same words without their formatting: an answer that looks plain is better than none. */
  async #sendPlain(formatted: OutgoingPart, signal: AbortSignal): Promise<SendResult> {
    this.#reportFormat(formatted.place);
    const result = await this.send({ ...formatted, form: undefined }, signal);
    return result.kind === 'sent' ? { ...result, remark: formatRemark } : result;
  }

  async #attempt(part: OutgoingPart, signal: AbortSignal): Promise<Attempt> {
    const { api } = this.#options;
    const sent = await this.#call(
      (ending) => sendPart(api, { ...part, thread: threadOf(part.place) }, ending),
      signal,
    );
    return sent.kind === 'sent' ? { kind: 'sent', platformMessageId: String(sent.value.message_id) } : sent;
  }

  async #call<T>(call: (ending: ClientSignal) => Promise<T>, signal: AbortSignal): Promise<Called<T>> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const startGrace = (): void => {
      timer = setTimeout(() => ending.abort(), graceMs);
    };
    signal.addEventListener('abort', startGrace, { once: true });
    try {
      return { kind: 'sent', value: await call(clientSignal(ending.signal)) };
    } catch (thrown) {
      return { kind: 'failed', failure: readFailure(thrown) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', startGrace);
    }
  }

  #reportFormat({ chatId }: ChatPlace): void {
    const { account } = this.#options;
    account.logger.warn(
      { botId: account.botId, chatId },
      'Telegram refused the formatting of an answer; it is sent as plain text',
    );
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

/** General is left out: Telegram refuses its id for messages. */
function threadOf({ threadId }: ChatPlace): number | undefined {
  return threadId === '' || threadId === generalTopic ? undefined : Number(threadId);
}

// Wordings of Telegram's server: "can't parse entities: …", "entity begins in a middle of …", ENTITY_BOUNDS_INVALID.
function isFormatRefused(failure: BotApiFailure): boolean {
  return failure.kind === 'refused' && failure.code === 400 && /entit/i.test(failure.description);
}

// "not enough rights to send documents to the chat", "file is too big", CHAT_SEND_DOCS_FORBIDDEN.
// A proxy in between says 413.
function isFileRefused(
  failure: BotApiFailure,
): failure is Extract<BotApiFailure, { kind: 'refused' | 'foreign' }> {
  if (failure.kind === 'foreign' || failure.kind === 'refused') {
    if (failure.code === 413) return true;
    return (
      failure.kind === 'refused' && /document|file|DOCS_FORBIDDEN|MEDIA_FORBIDDEN/.test(failure.description)
    );
  }
  return false;
}

function isGone(failure: BotApiFailure, wording: string): boolean {
  return failure.kind === 'refused' && failure.code === 400 && failure.description.includes(wording);
}

function resultOf(attempt: Attempt): SendResult {
  return attempt.kind === 'sent' ? attempt : toSendResult(attempt.failure);
}
