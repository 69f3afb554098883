/** Files that people sent to a Telegram bot: getFile, then one download. */
import { GrammyError, type Api } from 'grammy';
import type { AccountRef, FetchedMedia, MediaFetcher } from '@palimpsest/core';
import { download, type DownloadRules } from '../media/download.ts';
import { readFailure, type BotApiFailure } from './read-failure.ts';
import { clientSignal } from './telegram-account.ts';

/** What getFile gives at most; a server of one's own gives more. */
const cloudLimitBytes = 20 * 1024 * 1024;

type FileWish = Parameters<MediaFetcher['fetch']>;

export interface TelegramMediaOptions {
  botId: string;
  api: Api;
  token: string;
  /** Null: Telegram's own servers. */
  apiRoot: string | null;
}

export class TelegramMedia implements MediaFetcher {
  readonly account: AccountRef;
  readonly #api: Api;
  /** Holds the token. */
  readonly #root: string;
  readonly #rules: DownloadRules;

  constructor({ botId, api, token, apiRoot }: TelegramMediaOptions) {
    this.account = { platform: 'telegram', id: botId };
    this.#api = api;
    this.#root = `${(apiRoot ?? 'https://api.telegram.org').replace(/\/+$/, '')}/file/bot${token}/`;
    this.#rules = {
      hosts: ['api.telegram.org'],
      ownOrigin: apiRoot === null ? null : new URL(apiRoot).origin,
    };
  }

  async fetch({ media }: FileWish[0], limits: FileWish[1], signal: AbortSignal): Promise<FetchedMedia> {
    const maxBytes = Math.min(limits.maxBytes, cloudLimitBytes);
    if ((media.bytes ?? 0) > maxBytes) return { kind: 'too_large', limitBytes: maxBytes };
    try {
      const file = await this.#api.getFile(media.reference, clientSignal(signal));
      if ((file.file_size ?? 0) > maxBytes) return { kind: 'too_large', limitBytes: maxBytes };
      const url = this.#linkOf(file.file_path);
      if (url === null) return { kind: 'gone', message: 'Telegram named no path for it' };
      const found = await download({ url, rules: this.#rules, ...limits, maxBytes, signal });
      // The link lives for an hour at least and is made anew by each getFile.
      return found.kind === 'expired' ? { kind: 'retry', message: found.message } : found;
    } catch (thrown) {
      return afterFailure(thrown, maxBytes);
    }
  }

  /** Null for a path that leads elsewhere, such as one on the disk of a local server. */
  #linkOf(path: string | undefined): string | null {
    if (path === undefined || !/^[\w.-]+(\/[\w.-]+)*$/.test(path) || path.includes('..')) return null;
    return this.#root + path;
  }
}

function afterFailure(thrown: unknown, limitBytes: number): FetchedMedia {
  const failure = readFailure(thrown);
  if (thrown instanceof GrammyError && /file is too big/i.test(thrown.description))
    return { kind: 'too_large', limitBytes };
  return isForGood(failure)
    ? { kind: 'gone', message: failure.description }
    : { kind: 'retry', message: failure.description, ...waitOf(failure) };
}

/** A 400 names something that will not change; everything else may pass. */
function isForGood(failure: BotApiFailure): boolean {
  return failure.kind === 'refused' && failure.code === 400 && !/temporarily/i.test(failure.description);
}

function waitOf(failure: BotApiFailure): { waitMs?: number } {
  return failure.kind === 'refused' && failure.retryAfterMs !== null ? { waitMs: failure.retryAfterMs } : {};
}
