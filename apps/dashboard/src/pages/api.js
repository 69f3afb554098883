/** JSON over fetch; a failure is an Error whose message may be shown. */

class ApiError extends Error {
  constructor(status, message, retryAfterMs) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export async function getJson(path) {
  return readAnswer(await reach(path, { headers: { Accept: 'application/json' } }));
}

export async function postJson(path, body) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', 'X-CSRF-Token': csrf() };
  return readAnswer(await reach(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function reach(path, options) {
  try {
    return await fetch(path, { ...options, credentials: 'same-origin', cache: 'no-store' });
  } catch {
    throw new ApiError(0, 'The service cannot be reached.', 2_000);
  }
}

async function readAnswer(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const waitSeconds = Number(response.headers.get('Retry-After'));
  const message = body?.error?.message ?? `The service answered ${response.status}.`;
  throw new ApiError(response.status, message, waitSeconds > 0 ? waitSeconds * 1_000 : 0);
}

function csrf() {
  return document.getElementById('app').dataset.csrf;
}

/** Whether whoever looks may change things and read what was said. */
export function isOperator() {
  return document.getElementById('app').dataset.role === 'operator';
}

/** Where a page goes when its sign-in has ended. */
export function signIn() {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
}
