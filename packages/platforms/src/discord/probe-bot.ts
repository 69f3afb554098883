/** One look at a bot account: who it is, and which intents the developer portal grants. */
import { portalSwitch } from './close-codes.ts';

export type DiscordProbe =
  | {
      kind: 'answers';
      username: string;
      /** What people write in servers without a mention can be read. */
      readsContent: boolean;
      /** Where the portal's switch for that is. */
      contentSwitch: string;
    }
  | { kind: 'refused'; words: string }
  | { kind: 'away'; words: string };

const discordApi = 'https://discord.com/api';
/** Flags of an application: the intent is granted; or it is, as to a bot in less than 100 servers. */
const messageContent = (1 << 18) | (1 << 19);

/** `apiRoot` null: Discord's own servers. Never throws; no word of the answer holds the token. */
export async function probeDiscord(
  { token, apiRoot }: { token: string; apiRoot: string | null },
  timeoutMs: number,
): Promise<DiscordProbe> {
  const root = `${(apiRoot ?? discordApi).replace(/\/+$/, '')}/v10`;
  const init = { headers: { Authorization: `Bot ${token}` }, signal: AbortSignal.timeout(timeoutMs) };
  try {
    const [self, application] = await Promise.all(
      ['/users/@me', '/applications/@me'].map((path) => fetch(`${root}${path}`, init)),
    );
    const bad = [self, application].find((answer) => answer?.ok !== true);
    if (bad) return { kind: bad.status === 401 ? 'refused' : 'away', words: `HTTP ${bad.status}` };
    const { username } = (await self!.json()) as { username?: string };
    const { id, flags = 0 } = (await application!.json()) as { id?: string; flags?: number };
    return {
      kind: 'answers',
      username: username ?? 'unnamed',
      readsContent: (flags & messageContent) !== 0,
      contentSwitch: portalSwitch(id ?? null),
    };
  } catch (thrown) {
    return { kind: 'away', words: wordOf(thrown) };
  }
}

/** What Node says of the socket; nothing of the request. */
function wordOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'connection ended';
  if (thrown.name === 'TimeoutError') return 'timed out';
  const { code } = (thrown.cause ?? {}) as NodeJS.ErrnoException;
  return code ?? 'an answer that is not from Discord';
}
