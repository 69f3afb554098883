import type { MiddlewareHandler } from 'hono';

/** What was said, wherever it stands in an answer of the API; `cut` would tell how long it was. */
const textKeys = new Set(['text', 'summaryText', 'topic', 'focus', 'body', 'content', 'sender']);
/** A person gave it with a message of theirs; pages take another name where there is none. */
const titleKey = 'title';

/** Viewers see figures: every text is taken out of the API's answers before they leave. */
export const hideTexts: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.get('person').role === 'operator') return;
  if (!c.res.headers.get('Content-Type')?.startsWith('application/json')) return;
  const whole: unknown = await c.res.json();
  c.res = Response.json(withoutTexts(whole), { status: c.res.status, headers: c.res.headers });
};

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === titleKey ? null : textKeys.has(key) ? hidden(inner) : withoutTexts(inner),
    ]),
  );
}

/** A text stays a text, so that pages need not ask. */
function hidden(value: unknown): unknown {
  return typeof value === 'string' && value !== '' ? '(hidden)' : null;
}
