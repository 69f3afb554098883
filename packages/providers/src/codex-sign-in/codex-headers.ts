import type { CodexCredentials } from './codex-sign-in.ts';

/** Who asks, as the service wants it on every request. */
const originator = 'palimpsest';

/** Headers of a request with a subscription. The session's name stands in both that its router and its logs read. */
export function codexHeaders(credentials: CodexCredentials, sessionId: string): Record<string, string> {
  return {
    authorization: `Bearer ${credentials.accessToken}`,
    'chatgpt-account-id': credentials.accountId,
    originator,
    'user-agent': `${originator}/0.1`,
    accept: 'text/event-stream',
    'session-id': sessionId,
    'x-client-request-id': sessionId,
  };
}
