import type { Clock } from '@palimpsest/core';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { refuse } from '../error-response.ts';
import { signInPage } from '../html/sign-in-page.ts';
import { AttemptLimit } from './attempt-limit.ts';
import { remoteAddress } from './loopback.ts';
import { PasswordDoor, signedInSeconds } from './password-door.ts';

const cookieName = 'palimpsest';

/** The sign-in page and the check that stands before every other page. */
export class SignIn {
  readonly #door: PasswordDoor;
  readonly #limit: AttemptLimit;

  constructor(password: string, clock: Clock) {
    this.#door = new PasswordDoor(password, clock);
    this.#limit = new AttemptLimit(clock);
  }

  isSignedIn(c: Context): boolean {
    return this.#door.isProof(getCookie(c, cookieName) ?? '');
  }

  /** `Authorization: Bearer <password>`, for Prometheus; wrong ones count as attempts. */
  hasBearer(c: Context): boolean {
    const given = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (given === undefined) return false;
    return this.#tryPassword(c, given) === 'right';
  }

  /** Pages send to the sign-in page, the API answers 401. */
  guard(): MiddlewareHandler {
    return async (c, next) => {
      if (this.isSignedIn(c)) return next();
      if (c.req.path.startsWith('/api/'))
        return refuse(c, 401, { code: 'not_allowed', message: 'Sign in first.' });
      return c.redirect(`/sign-in?next=${encodeURIComponent(c.req.path)}`, 303);
    };
  }

  routes(): Hono {
    const app = new Hono();
    app.get('/sign-in', (c) => signInPage(c, { next: localPath(c.req.query('next')), problem: null }));
    app.post('/sign-in', (c) => this.#signIn(c));
    app.post('/sign-out', (c) => {
      deleteCookie(c, cookieName, { path: '/' });
      return c.redirect('/sign-in', 303);
    });
    return app;
  }

  async #signIn(c: Context): Promise<Response> {
    const form = await c.req.parseBody();
    const next = localPath(typeof form['next'] === 'string' ? form['next'] : undefined);
    const given = typeof form['password'] === 'string' ? form['password'] : '';
    const tried = this.#tryPassword(c, given);
    if (tried === 'right') {
      this.#giveCookie(c);
      return c.redirect(next, 303);
    }
    if (tried === 'wrong') return signInPage(c, { next, problem: 'That is not the password.', status: 401 });
    c.header('Retry-After', String(tried.waitSeconds));
    const minutes = Math.ceil(tried.waitSeconds / 60);
    return signInPage(c, {
      next,
      problem: `Too many wrong passwords. Try again in ${minutes} minutes.`,
      status: 429,
    });
  }

  #tryPassword(c: Context, given: string): 'right' | 'wrong' | { waitSeconds: number } {
    const address = remoteAddress(c);
    const waitSeconds = this.#limit.waitSeconds(address);
    if (waitSeconds > 0) return { waitSeconds };
    if (this.#door.isPassword(given)) {
      this.#limit.right(address);
      return 'right';
    }
    this.#limit.wrong(address);
    return 'wrong';
  }

  #giveCookie(c: Context): void {
    const secure = c.req.header('x-forwarded-proto') === 'https' || new URL(c.req.url).protocol === 'https:';
    setCookie(c, cookieName, this.#door.proof(), {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      maxAge: signedInSeconds,
      secure,
    });
  }
}

/** Only a path of ours may follow a sign-in: `//host` and `/\host` lead elsewhere. */
function localPath(path: string | undefined): string {
  return path && /^\/(?![/\\])[\w\-./?=&%]*$/.test(path) ? path : '/';
}
