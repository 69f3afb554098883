import type { NewTokens } from './auth-file.ts';
import { SignInFailed } from './sign-in-failed.ts';

const tokenAddress = 'https://auth.openai.com/oauth/token';
/** The public client id of the Codex CLI: a sign-in made by it can only be renewed under it. */
const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';
const answerWithinMs = 30_000;

/**
 * Renew a sign-in as Codex CLI 0.171 does. The old refresh token is void afterwards.
 * throws SignInFailed when the service refuses it; whatever `fetch` throws when it cannot be reached
 */
export async function renewTokens(refreshToken: string, fetchFrom: typeof fetch): Promise<NewTokens> {
  const answer = await fetchFrom(tokenAddress, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: clientId,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  if (answer.status >= 500) throw new Error(`the sign-in service answered ${answer.status}`);
  if (!answer.ok)
    throw new SignInFailed(
      `the Codex sign-in cannot be renewed (${answer.status}): sign in again with \`codex login\``,
    );
  const body: unknown = await answer.json();
  return pickTokens(body);
}

function pickTokens(body: unknown): NewTokens {
  const tokens: NewTokens = {};
  if (body === null || typeof body !== 'object') return tokens;
  for (const name of ['access_token', 'refresh_token', 'id_token'] as const) {
    const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
    if (typeof value === 'string' && value !== '') tokens[name] = value;
  }
  return tokens;
}
