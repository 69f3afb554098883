import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SignInFailed } from './sign-in-failed.ts';

/** The sign-in as the Codex CLI keeps it in `auth.json`. */
export interface StoredSignIn {
  accessToken: string;
  refreshToken: string;
  accountId: string;
  /** End of the access token's life, ms since the epoch; null when it does not say. */
  expiresAtMs: number | null;
  /** When the CLI or we last renewed it, ms since the epoch. */
  renewedAtMs: number | null;
  /** The whole file, so that what we do not know is written back as it was. */
  file: Record<string, unknown>;
}

export interface NewTokens {
  access_token?: string;
  refresh_token?: string;
  id_token?: string;
}

export function authFileOf(codexHome: string): string {
  return join(codexHome, 'auth.json');
}

/**
 * Read the file. Small and rarely read: at once, so that a start can say what is wrong.
 * throws SignInFailed when there is no subscription in it
 */
export function readSignIn(path: string): StoredSignIn {
  const file = readJson(path);
  const tokens = recordOf(file['tokens']);
  const accessToken = textOf(tokens['access_token']);
  const claims = claimsOf(accessToken);
  const account = recordOf(claims['https://api.openai.com/auth']);
  const accountId = textOf(tokens['account_id']) || textOf(account['chatgpt_account_id']);
  const refreshToken = textOf(tokens['refresh_token']);
  if (accessToken === '' || accountId === '')
    throw new SignInFailed(`${path} holds no ChatGPT sign-in: sign in with \`codex login\``);
  const renewedAtMs = Date.parse(textOf(file['last_refresh']));
  return {
    accessToken,
    refreshToken,
    accountId,
    expiresAtMs: typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : null,
    renewedAtMs: Number.isNaN(renewedAtMs) ? null : renewedAtMs,
    file,
  };
}

/** Write renewed tokens as the CLI does: whole file or none, readable by its owner only. */
export async function writeSignIn(
  path: string,
  before: StoredSignIn,
  { tokens, now }: { tokens: NewTokens; now: Date },
): Promise<void> {
  const file = {
    ...before.file,
    tokens: { ...recordOf(before.file['tokens']), ...tokens },
    last_refresh: now.toISOString(),
  };
  const beside = `${path}.${process.pid}.new`;
  await writeFile(beside, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(beside, path);
}

function readJson(path: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const what = cause instanceof SyntaxError ? 'is no JSON' : 'cannot be read';
    throw new SignInFailed(`${path} ${what}: sign in with \`codex login\``, cause);
  }
}

/** The middle part of a token; nothing is verified, the service does that. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
