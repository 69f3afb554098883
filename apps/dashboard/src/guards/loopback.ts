import type { Context } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';

const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** The name in a Host header, lower case, without port and brackets; null when it is no host at all. */
export function hostName(host: string | undefined): string | null {
  const name = hostShape.exec(host ?? '')?.[1];
  return name ? name.replace(/^\[|\]$/g, '').toLowerCase() : null;
}

/** Names that only ever mean this machine. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** Address of the other end of the connection, '' when unknown. */
export function remoteAddress(c: Context): string {
  return getConnInfo(c).remote.address ?? '';
}

/**
 * True for a program on this machine that calls us by a loopback name. A page of a foreign name that was re-bound to
 * 127.0.0.1 has the wrong Host; what a proxy forwards for others names them in a header.
 */
export function isFromThisMachine(c: Context): boolean {
  const address = remoteAddress(c).replace(/^::ffff:/, '');
  const name = hostName(c.req.header('host'));
  const forwarded = c.req.header('forwarded') ?? c.req.header('x-forwarded-for');
  return forwarded === undefined && isLoopbackName(address) && name !== null && isLoopbackName(name);
}
