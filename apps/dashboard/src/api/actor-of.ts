import type { Actor } from '@palimpsest/core';
import type { Context } from 'hono';

/** Who is written down for what this request does. */
export function actorOf(c: Context): Actor {
  return { name: c.get('person').name, via: 'dashboard' };
}
