/** One look at a bot account: who it is, what it hears, and what Telegram says of its webhook. */
import { createBotApi } from './bot-api.ts';
import { isTokenRefused, readFailure } from './read-failure.ts';
import { clientSignal } from './telegram-account.ts';

export type TelegramProbe =
  | {
      kind: 'answers';
      username: string;
      /** Privacy mode is off: it hears everything in groups. */
      hearsAll: boolean;
      /** null: none is set, updates are polled for. */
      webhook: { url: string; lastProblem: { at: Date; words: string } | null } | null;
      /** Updates that Telegram keeps for us. */
      pending: number;
    }
  | { kind: 'refused'; words: string }
  | { kind: 'away'; words: string };

/** `apiRoot` null: Telegram's own servers. Never throws; no word of the answer holds the token. */
export async function probeTelegram(
  { token, apiRoot }: { token: string; apiRoot: string | null },
  timeoutMs: number,
): Promise<TelegramProbe> {
  const api = createBotApi({ token, apiRoot, timeoutSeconds: Math.ceil(timeoutMs / 1000) });
  const signal = clientSignal(AbortSignal.timeout(timeoutMs));
  try {
    const me = await api.getMe(signal);
    const info = await api.getWebhookInfo(signal);
    const { url = '', last_error_date: date, last_error_message: words } = info;
    const lastProblem =
      date === undefined ? null : { at: new Date(date * 1000), words: words ?? 'no reason given' };
    return {
      kind: 'answers',
      username: me.username,
      hearsAll: me.can_read_all_group_messages,
      webhook: url === '' ? null : { url, lastProblem },
      pending: info.pending_update_count,
    };
  } catch (thrown) {
    const failure = readFailure(thrown);
    return { kind: isTokenRefused(failure) ? 'refused' : 'away', words: failure.description };
  }
}
