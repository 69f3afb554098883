import type { MiddlewareHandler } from 'hono';

/** The policy of every answer; a page adds its nonce for the import map. */
export function contentPolicy(nonce?: string): string {
  return [
    "default-src 'none'",
    `script-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Headers that make a browser refuse what our pages never need. Referer is kept inside: the origin guard reads it. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  // Set on the answer itself: by way of the context it would be made anew, and every body read through a stream.
  const { headers } = c.res;
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', contentPolicy());
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('X-Frame-Options', 'DENY');
  headers.set('Referrer-Policy', 'same-origin');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
};
