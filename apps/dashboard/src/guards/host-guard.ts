import type { MiddlewareHandler } from 'hono';
import { refuse } from '../error-response.ts';
import { hostName, isLoopbackName } from './loopback.ts';

/** Refuse every Host but loopback names and `server.public_host`: a foreign name bound to our address reads nothing. */
export function hostGuard(publicHost: string | null): MiddlewareHandler {
  const configured = publicHost?.toLowerCase() ?? null;
  return async (c, next) => {
    const host = c.req.header('host');
    const name = hostName(host);
    const known = name !== null && (isLoopbackName(name) || name === hostName(configured ?? undefined));
    if (known) return next();
    return refuse(c, 403, {
      code: 'not_allowed',
      message: `This service does not answer under the name ${name ?? 'given'}. To use it, set server.public_host in config.yaml.`,
    });
  };
}
