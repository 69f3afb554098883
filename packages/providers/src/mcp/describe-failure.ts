/** Codes of the protocol's own errors, as the SDK numbers them. */
export const connectionClosed = -32_000;
export const requestTimedOut = -32_001;

/** The number an error of the SDK carries: of the protocol, or a status of HTTP. */
export function codeOf(thrown: unknown): number | string | null {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
  return typeof code === 'number' || typeof code === 'string' ? code : null;
}

/** Why a server could not be reached, for operators: our words and a code; nothing the server wrote, which may hold a secret. */
export function describeFailure(thrown: unknown): string {
  const code = codeOf(thrown) ?? codeOf(thrown instanceof Error ? thrown.cause : null);
  if (code === 'ENOENT') return 'the program or its folder was not found (ENOENT); check command and cwd';
  if (code === 'EACCES') return 'the program may not be started (EACCES); check its rights';
  if (code === connectionClosed) return 'it ended before it answered';
  if (code === requestTimedOut) return 'it gave no answer in time';
  if (code === 401 || code === 403)
    return `it refused us (HTTP ${code}); check headers in the config and the variables they name`;
  if (typeof code === 'number' && code >= 300 && code < 600)
    return `it answered with HTTP ${code}; check url`;
  if (typeof code === 'string') return `it cannot be reached (${code})`;
  if (typeof code === 'number') return `it refused to work with us (code ${code})`;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return `it does not speak the protocol (${name})`;
}
