/** The places people talk to us. `local` is the web chat of the dashboard. */
export type Platform = 'telegram' | 'discord' | 'local';

/** One bot account on one platform; `id` is the bot's own numeric id (or `local`). Never a token. */
export interface AccountRef {
  platform: Platform;
  id: string;
}

/** Stable text key of an account: lease keys, queue names. */
export function accountKey(account: AccountRef): string {
  return `${account.platform}-${account.id}`;
}

/** Where a message was said; `threadId` is '' outside topics and threads. */
export interface ChatPlace {
  chatId: string;
  threadId: string;
  kind: 'direct' | 'group';
  title?: string;
  /** A thread that is a chat of its own (Discord), where the platform said so. */
  isThread?: boolean;
}

/** Who said it, as the platform names them; only `id` is ever compared. */
export interface Sender {
  id: string;
  name: string;
  isBot: boolean;
  language?: string;
}
