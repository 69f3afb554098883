import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { refuse } from '../error-response.ts';

/** Forms and wishes of operators are a few lines. */
const largestBytes = 256 * 1024;
/** Messages may be longer; that route has a limit of its own. */
const chatPath = '/api/chat/';

const limit = bodyLimit({
  maxSize: largestBytes,
  onError: (c) =>
    refuse(c, 413, {
      code: 'input_invalid',
      message: `The body is larger than ${largestBytes / 1024} KB; nothing of it was read.`,
    }),
});

/** A GET has none, and looking for one costs more than most answers. */
const hasNoBody = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** No body is read to its end before somebody has looked how long it is, not even from whoever has not signed in yet. */
export const bodyGuard: MiddlewareHandler = (c, next) =>
  hasNoBody(c.req.method) || c.req.path.startsWith(chatPath) ? next() : limit(c, next);
