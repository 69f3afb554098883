import type { MiddlewareHandler } from 'hono';
import { refuse } from '../error-response.ts';

export type Role = 'viewer' | 'operator';

/** Who looks at a page. */
export interface Person {
  /** Written down with what they do. */
  name: string;
  role: Role;
  /** What a page of ours sends with a change; null: a program that gave its password with this very request. */
  csrfToken: string | null;
}

declare module 'hono' {
  interface ContextVariableMap {
    person: Person;
  }
}

/** Header that carries the token of our own pages; a form or image of another site cannot set one. */
const csrfHeader = 'X-CSRF-Token';

/** Only operators; pages are told so as JSON and as text. */
export const operatorsOnly: MiddlewareHandler = async (c, next) => {
  if (c.get('person').role === 'operator') return next();
  return refuse(c, 403, {
    code: 'not_allowed',
    message: 'This is for operators. You are signed in as a viewer: you see figures, not what was said.',
  });
};

/** For changes, behind `operatorsOnly`: the token that our page was given with its sign-in. */
export const csrfGuard: MiddlewareHandler = async (c, next) => {
  const { csrfToken } = c.get('person');
  if (csrfToken === null || c.req.header(csrfHeader) === csrfToken) return next();
  return refuse(c, 403, {
    code: 'not_allowed',
    message: 'Refused: this page was opened before the service was started or signed in to anew. Reload it.',
  });
};
