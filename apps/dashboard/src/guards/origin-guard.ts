import type { Context, MiddlewareHandler } from 'hono';
import { refuse } from '../error-response.ts';

/**
 * Refuse what changes something, and live streams, unless the browser says that one of our own pages asks.
 * Everything the browser tells about the asker must be ours, and it must tell something: Sec-Fetch-Site is sent
 * on loopback and https only, Origin not with a GET, Referer (we ask for it in our Referrer-Policy) with a GET.
 */
export const originGuard: MiddlewareHandler = async (c, next) => {
  if (fromOurPages(c)) return next();
  return refuse(c, 403, {
    code: 'not_allowed',
    message:
      'Refused: the request does not come from a page of this service. Programs send an Origin header with our address.',
  });
};

/** A browser lets no page of another site set this header; a program that does has a password. */
const isProgram = (c: Context): boolean => /^Bearer /i.test(c.req.header('authorization') ?? '');

/** `originGuard` for every method but GET and HEAD. */
export const writeGuard: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD' || isProgram(c)) return next();
  return originGuard(c, next);
};

function fromOurPages(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  const referer = c.req.method === 'GET' ? c.req.header('referer') : undefined;
  if (site === undefined && origin === undefined && referer === undefined) return false;
  const host = c.req.header('host') ?? '';
  return (
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || hostOf(origin) === host.toLowerCase()) &&
    (referer === undefined || hostOf(referer) === host.toLowerCase())
  );
}

/** Host with port as it would stand in a Host header; '' for `null` and other unusable values. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}
