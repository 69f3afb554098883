import { randomBytes } from 'node:crypto';
import type { Clock } from '@palimpsest/core';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { refuse } from '../error-response.ts';
import { signInPage } from '../html/sign-in-page.ts';
import { AttemptLimit } from './attempt-limit.ts';
import { remoteAddress } from './loopback.ts';
import { PasswordDoor } from './password-door.ts';
import type { Person, Role } from './person.ts';

const cookieName = 'palimpsest';

export interface SignInOptions {
  passwords: Readonly<Partial<Record<Role, string>>>;
  signedInDays: number;
  clock: Clock;
}

interface Door {
  role: Role;
  door: PasswordDoor;
}

/** Without a password whoever reaches the pages is this person; only this machine does. */
export function openDoor(role: Role): MiddlewareHandler {
  const person: Person = { name: 'local', role, csrfToken: randomBytes(24).toString('base64url') };
  return async (c, next) => {
    c.set('person', person);
    return next();
  };
}

/** The sign-in page and the check that stands before every other page. The password says which role it opens. */
export class SignIn {
  readonly #doors: readonly Door[];
  readonly #limit: AttemptLimit;
  readonly #seconds: number;

  constructor({ passwords, signedInDays, clock }: SignInOptions) {
    // The operator's first: should both be the same, it opens all.
    this.#doors = (['operator', 'viewer'] as const).flatMap((role) => {
      const password = passwords[role];
      return password === undefined ? [] : [{ role, door: new PasswordDoor(password, clock) }];
    });
    this.#limit = new AttemptLimit(clock);
    this.#seconds = signedInDays * 24 * 3600;
  }

  isSignedIn(c: Context): boolean {
    return this.#ofCookie(c) !== null;
  }

  /** `Authorization: Bearer <password>`, for Prometheus and programs; wrong ones count as attempts. */
  hasBearer(c: Context): boolean {
    return this.#ofBearer(c) !== null;
  }

  /** Pages send to the sign-in page, the API answers 401. */
  guard(): MiddlewareHandler {
    return async (c, next) => {
      const person = this.#ofCookie(c) ?? this.#ofBearer(c);
      if (person) {
        c.set('person', person);
        return next();
      }
      if (c.req.path.startsWith('/api/')) return this.refuse(c, 'Sign in first.');
      return c.redirect(`/sign-in?next=${encodeURIComponent(c.req.path)}`, 303);
    };
  }

  /** 401 with these words; 429 for programs whose password is not even looked at, because too many were wrong. */
  refuse(c: Context, message: string): Response {
    const waitSeconds = bearerOf(c) === undefined ? 0 : this.#limit.waitSeconds(remoteAddress(c));
    if (waitSeconds === 0) return refuse(c, 401, { code: 'not_allowed', message });
    c.header('Retry-After', String(waitSeconds));
    return refuse(c, 429, { code: 'not_allowed', message: tooMany(waitSeconds) });
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

  #ofCookie(c: Context): Person | null {
    const proof = getCookie(c, cookieName) ?? '';
    const found = this.#doors.find(({ door }) => door.isProof(proof));
    return found ? { name: found.role, role: found.role, csrfToken: found.door.csrfToken(proof) } : null;
  }

  #ofBearer(c: Context): Person | null {
    const given = bearerOf(c);
    if (given === undefined) return null;
    const tried = this.#tryPassword(c, given);
    return 'door' in tried ? { name: tried.role, role: tried.role, csrfToken: null } : null;
  }

  async #signIn(c: Context): Promise<Response> {
    const form = await c.req.parseBody();
    const next = localPath(typeof form['next'] === 'string' ? form['next'] : undefined);
    const given = typeof form['password'] === 'string' ? form['password'] : '';
    const tried = this.#tryPassword(c, given);
    if ('door' in tried) {
      this.#giveCookie(c, tried.door);
      return c.redirect(next, 303);
    }
    if (tried.waitSeconds === 0)
      return signInPage(c, { next, problem: 'That is not the password.', status: 401 });
    c.header('Retry-After', String(tried.waitSeconds));
    return signInPage(c, { next, problem: tooMany(tried.waitSeconds), status: 429 });
  }

  /** waitSeconds  0: it was tried and is wrong; else it was not even tried */
  #tryPassword(c: Context, given: string): Door | { waitSeconds: number } {
    const address = remoteAddress(c);
    const waitSeconds = this.#limit.waitSeconds(address);
    if (waitSeconds > 0) return { waitSeconds };
    const found = this.#doors.find(({ door }) => door.isPassword(given));
    if (found) this.#limit.right(address);
    else this.#limit.wrong(address);
    return found ?? { waitSeconds: 0 };
  }

  #giveCookie(c: Context, door: PasswordDoor): void {
    const secure = c.req.header('x-forwarded-proto') === 'https' || new URL(c.req.url).protocol === 'https:';
    setCookie(c, cookieName, door.proof(this.#seconds), {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      maxAge: this.#seconds,
      secure,
    });
  }
}

function bearerOf(c: Context): string | undefined {
  return /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
}

function tooMany(waitSeconds: number): string {
  return `Too many wrong passwords. Try again in ${Math.ceil(waitSeconds / 60)} minutes.`;
}

/** Only a path of ours may follow a sign-in: `//host` and `/\host` lead elsewhere. */
function localPath(path: string | undefined): string {
  return path && /^\/(?![/\\])[\w\-./?=&%]*$/.test(path) ? path : '/';
}
