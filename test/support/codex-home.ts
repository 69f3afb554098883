/** A folder as the Codex CLI leaves it after `codex login`, with tokens of our own making. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SignInParts {
  accessToken?: string;
  /** End of the access token's life, seconds since the epoch. */
  expiresAt?: number;
  refreshToken?: string;
  accountId?: string;
}

export interface CodexHome extends Disposable {
  path: string;
  write(parts?: SignInParts): void;
  read(): { tokens: Record<string, string>; last_refresh: string };
}

/** A token whose middle part says when it ends and whose it is; nobody checks the signature here. */
export function tokenOf(parts: { expiresAt: number; accountId?: string; serial?: number }): string {
  const claims = {
    exp: parts.expiresAt,
    jti: parts.serial ?? 1,
    'https://api.openai.com/auth': { chatgpt_account_id: parts.accountId ?? 'account-1' },
  };
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.signature`;
}

/** In the year 2096. */
export const farFuture = 4_000_000_000;

export function makeCodexHome(parts: SignInParts = {}): CodexHome {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-codex-'));
  const file = join(path, 'auth.json');
  const home: CodexHome = {
    path,
    write(next = {}) {
      const accountId = next.accountId ?? 'account-1';
      const expiresAt = next.expiresAt ?? farFuture;
      const content = {
        OPENAI_API_KEY: null,
        tokens: {
          id_token: 'id-token',
          access_token: next.accessToken ?? tokenOf({ expiresAt, accountId }),
          refresh_token: next.refreshToken ?? 'refresh-1',
          account_id: accountId,
        },
        last_refresh: '2026-11-28T00:00:00Z',
        agent_identity: { kept: 'as it was' },
      };
      writeFileSync(file, JSON.stringify(content));
    },
    read: () => JSON.parse(readFileSync(file, 'utf8')) as ReturnType<CodexHome['read']>,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
  home.write(parts);
  return home;
}
