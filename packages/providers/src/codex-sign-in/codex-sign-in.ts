import type { Clock } from '@palimpsest/core';

import { authFileOf, readSignIn, writeSignIn } from './auth-file.ts';
import type { StoredSignIn } from './auth-file.ts';
import { renewTokens } from './renew-tokens.ts';
import { SignInFailed } from './sign-in-failed.ts';

/** The CLI renews a token that ends within five minutes, and one of unknown life after eight days. */
const renewBeforeEndMs = 5 * 60_000;
const renewAfterMs = 8 * 24 * 3_600_000;

export interface CodexCredentials {
  accessToken: string;
  accountId: string;
}

/** A ChatGPT sign-in made with `codex login`, shared with the CLI through its file. */
export interface CodexSignIn {
  /** The account at start: opaque items of the service are bound to it. */
  readonly accountId: string;
  /** Valid now, renewed if need be. throws SignInFailed */
  credentials(): Promise<CodexCredentials>;
  /** The service refused the token: take the file's if it is another, else renew; false when that changes nothing. */
  renew(): Promise<boolean>;
}

/**
 * Open the sign-in in the folder of the Codex CLI. The file is read anew for each request, since the CLI and other
 * processes of ours renew it too.
 * throws SignInFailed when there is none
 */
export function openCodexSignIn(
  codexHome: string,
  help: { clock: Clock; fetch?: typeof fetch },
): CodexSignIn {
  const path = authFileOf(codexHome);
  const { accountId } = readSignIn(path);
  let renewing: Promise<StoredSignIn> | null = null;
  let used = '';
  const renewOnce = (before: StoredSignIn): Promise<StoredSignIn> =>
    (renewing ??= renewStored(path, before, help).finally(() => (renewing = null)));
  const use = (signIn: StoredSignIn): CodexCredentials => {
    if (signIn.accountId !== accountId)
      throw new SignInFailed('the Codex sign-in is another account now: restart to use it');
    used = signIn.accessToken;
    return { accessToken: signIn.accessToken, accountId };
  };
  return {
    accountId,
    async credentials() {
      const signIn = readSignIn(path);
      return use(isWorn(signIn, help.clock.now().getTime()) ? await renewOnce(signIn) : signIn);
    },
    async renew() {
      const signIn = readSignIn(path);
      if (signIn.accessToken !== used) return true;
      return (await renewOnce(signIn)).accessToken !== used;
    },
  };
}

function isWorn({ expiresAtMs, renewedAtMs }: StoredSignIn, nowMs: number): boolean {
  if (expiresAtMs !== null) return expiresAtMs - nowMs <= renewBeforeEndMs;
  return renewedAtMs === null || nowMs - renewedAtMs >= renewAfterMs;
}

/** Another process may have been faster: then its tokens stand in the file and ours were refused. */
async function renewStored(
  path: string,
  before: StoredSignIn,
  help: { clock: Clock; fetch?: typeof fetch },
): Promise<StoredSignIn> {
  if (before.refreshToken === '')
    throw new SignInFailed(`${path} holds no refresh token: sign in again with \`codex login\``);
  try {
    const tokens = await renewTokens(before.refreshToken, help.fetch ?? fetch);
    await writeSignIn(path, before, { tokens, now: help.clock.now() });
    return readSignIn(path);
  } catch (thrown) {
    const now = readSignIn(path);
    if (now.refreshToken !== before.refreshToken) return now;
    throw thrown;
  }
}
