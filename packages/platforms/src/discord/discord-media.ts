/** Attachments that people sent to a Discord bot: their links are signed and dead after about a day. */
import type { AccountRef, FetchedMedia, MediaFetcher } from '@palimpsest/core';
import { DiscordAPIError, RateLimitError, REST, Routes } from 'discord.js';
import { download, type Downloaded, type DownloadRules } from '../media/download.ts';
import { steadied } from './steady-limits.ts';
import { accountOfToken } from './account-of-token.ts';
import type { InvalidRequests } from './invalid-requests.ts';
import { snapshotsOf } from './message-snapshots.ts';
import { isFields, listOfFields, optionalFields, optionalText, type Fields } from './read-fields.ts';
import { refuseLongWaits, limitOf } from './rest-limits.ts';

const requestTimeoutMs = 15_000;

type FileWish = Parameters<MediaFetcher['fetch']>;

export interface DiscordMediaOptions {
  token: string;
  /** What `rest.api` of discord.js takes; null = Discord itself. */
  apiRoot: string | null;
  /** Refused requests of everything that asks Discord from this address. */
  invalidRequests: InvalidRequests;
}

/** What an attachment is named by: its id finds a fresh link, its link saves asking. */
export interface AttachmentReference {
  id: string;
  url: string;
}

export class DiscordMedia implements MediaFetcher {
  readonly account: AccountRef;
  readonly #client: REST;
  readonly #rules: DownloadRules;

  constructor({ token, apiRoot, invalidRequests }: DiscordMediaOptions) {
    this.account = accountOfToken(token);
    this.#client = new REST({
      version: '10',
      ...(apiRoot === null ? {} : { api: apiRoot }),
      retries: 0,
      timeout: requestTimeoutMs,
      rejectOnRateLimit: refuseLongWaits,
    }).setToken(token);
    invalidRequests.watch(this.#client);
    this.#rules = {
      hosts: ['cdn.discordapp.com', 'media.discordapp.net'],
      ownOrigin: apiRoot === null ? null : new URL(apiRoot).origin,
    };
  }

  async fetch(file: FileWish[0], limits: FileWish[1], signal: AbortSignal): Promise<FetchedMedia> {
    const { media, place, messageId } = file;
    if ((media.bytes ?? 0) > limits.maxBytes) return { kind: 'too_large', limitBytes: limits.maxBytes };
    const { id, url } = readReference(media.reference);
    const get = (link: string): Promise<Downloaded> =>
      download({ url: link, rules: this.#rules, ...limits, signal });
    const found = await get(url);
    if (found.kind !== 'expired') return found;
    const fresh = await this.#freshLink({ channelId: place.chatId, messageId, id }, signal);
    if (typeof fresh !== 'string') return fresh;
    const again = await get(fresh);
    return again.kind === 'expired' ? { kind: 'gone', message: again.message } : again;
  }

  /** The message as it is now carries a link that was signed now. */
  async #freshLink(
    wanted: { channelId: string; messageId: string; id: string },
    signal: AbortSignal,
  ): Promise<string | FetchedMedia> {
    try {
      const message = await steadied(this.#client).get(
        Routes.channelMessage(wanted.channelId, wanted.messageId),
        {
          signal,
        },
      );
      const attachments = isFields(message) ? attachmentsShown(message) : [];
      const url = attachments.flatMap((one) =>
        one['id'] === wanted.id ? [optionalText(one, 'url')] : [],
      )[0];
      return url ?? { kind: 'gone', message: 'the message no longer has the attachment' };
    } catch (thrown) {
      return afterFailure(thrown);
    }
  }
}

/** Of the message, of what it passes on, and of what it answers: all links are signed anew. */
function attachmentsShown(message: Fields): readonly Fields[] {
  const answered = optionalFields(message, 'referenced_message');
  const shown = [message, ...snapshotsOf(message), ...(answered ? [answered] : [])];
  return shown.flatMap((one) => listOfFields(one, 'attachments'));
}

function afterFailure(thrown: unknown): FetchedMedia {
  if (thrown instanceof RateLimitError)
    return { kind: 'retry', message: 'rate limited', waitMs: limitOf(thrown).waitMs };
  if (thrown instanceof DiscordAPIError) return { kind: 'gone', message: `${thrown.status} ${thrown.code}` };
  return { kind: 'retry', message: 'Discord did not answer' };
}

export function writeReference(reference: AttachmentReference): string {
  return JSON.stringify(reference);
}

function readReference(reference: string): AttachmentReference {
  return JSON.parse(reference) as AttachmentReference;
}
