import type { Context } from 'hono';
import { html } from 'hono/html';
import { head } from './shell.ts';

export interface SignInPage {
  /** Where to go afterwards: a path of ours. */
  next: string;
  problem: string | null;
  status?: 401 | 429;
}

/** The door: one field, works without JavaScript. */
export function signInPage(c: Context, page: SignInPage): Response | Promise<Response> {
  return c.html(
    html`<!doctype html>
      <html lang="en">
        ${head('Sign in', ['base.css'])}
        <body class="page-door">
          <main class="door">
            <h1><img src="/assets/icon.svg" alt="" width="28" height="28" />Palimpsest</h1>
            <form method="post" action="/sign-in">
              <input type="hidden" name="next" value="${page.next}" />
              <label for="password">Password</label>
              <input
                id="password"
                name="password"
                type="password"
                autocomplete="current-password"
                required
                autofocus
              />
              ${page.problem ? html`<p class="problem" role="alert">${page.problem}</p>` : ''}
              <button class="main" type="submit">Sign in</button>
            </form>
            <p class="hint">It is the value of PALIMPSEST_PASSWORD on the machine that runs this service.</p>
          </main>
        </body>
      </html>`,
    page.status ?? 200,
  );
}
