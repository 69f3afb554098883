/** What a provider answered, in neither SDK's words. */
export interface ProviderError {
  /** `Anthropic`, `OpenAI` …: for messages. */
  provider: string;
  /** HTTP status, or the number that stands for it inside a 200 stream. */
  status: number | null;
  /** The provider's code and type, lower case, '' where there is none. */
  code: string;
  type: string;
  /** The provider's text: only compared with the table, never passed on, since it may echo the prompt. */
  text: string;
  hasBody: boolean;
  header(name: string): string | null;
}

/** A whole HTML page may come as text; what decides stands at its beginning. */
const longestText = 4_000;

/** Read an error that an SDK threw for an HTTP answer or an error event; null when it is something else. */
export function readProviderError(thrown: unknown, provider: string): ProviderError | null {
  if (!isRecord(thrown) || !('status' in thrown) || !('headers' in thrown) || !('error' in thrown))
    return null;
  const body = innermost(thrown['error']);
  const ownCode = stringOf(thrown['errorCode']) || codeText(body['code']) || stringOf(thrown['code']);
  const numeric =
    typeof body['code'] === 'number' ? body['code'] : Number(codeText(body['code']) || Number.NaN);
  const status = typeof thrown['status'] === 'number' ? thrown['status'] : isStatus(numeric) ? numeric : null;
  return {
    provider,
    status,
    code: (isStatus(Number(ownCode)) ? '' : ownCode).toLowerCase(),
    type: (stringOf(thrown['type']) || stringOf(body['type'])).toLowerCase(),
    text: (`${stringOf(body['message'])} ${metadataText(body)}`.trim() || messageOf(thrown)).slice(
      0,
      longestText,
    ),
    hasBody: isRecord(thrown['error']) || !/\(no body\)/.test(messageOf(thrown)),
    header: (name) => headerOf(thrown['headers'], name),
  };
}

/** `{type: 'error', error: {…}}`, `{error: {…}}` and `{…}` all lead to the object with the message. */
function innermost(error: unknown): Record<string, unknown> {
  let body = isRecord(error) ? error : {};
  while (isRecord(body['error'])) body = body['error'];
  return typeof body['error'] === 'string' && body['message'] === undefined
    ? { ...body, message: body['error'] }
    : body;
}

/** OpenRouter hands the upstream's own body on as `metadata.raw`. */
function metadataText(body: Record<string, unknown>): string {
  return isRecord(body['metadata']) ? stringOf(body['metadata']['raw']) : '';
}

function codeText(code: unknown): string {
  return typeof code === 'number' ? String(code) : stringOf(code);
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599;
}

function headerOf(headers: unknown, name: string): string | null {
  return headers instanceof Headers ? headers.get(name) : null;
}

function messageOf(thrown: Record<string, unknown>): string {
  return stringOf(thrown['message']);
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object';
}
