import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Person } from '../guards/person.ts';
import { contentPolicy } from '../guards/security-headers.ts';

const places = [
  { here: 'overview', path: '/', words: 'Overview' },
  { here: 'sessions', path: '/sessions', words: 'Sessions' },
  { here: 'compaction', path: '/compaction', words: 'Compaction' },
  { here: 'deliveries', path: '/deliveries', words: 'Deliveries' },
  { here: 'events', path: '/events', words: 'Events' },
  { here: 'queues', path: '/queues', words: 'Queues' },
  { here: 'chat', path: '/chat', words: 'Chat' },
] as const;

export interface Shell {
  title: string;
  /** Entry module and style sheets below /assets. */
  script: string;
  styles: readonly string[];
  /** What the entry module reads from `data-…` attributes of its root. */
  data: Readonly<Record<string, string>>;
  /** Where we are, for the navigation. */
  here: (typeof places)[number]['here'];
  signOut: boolean;
  person: Person;
}

const importMap = JSON.stringify({
  imports: {
    preact: '/assets/vendor/preact.js',
    'preact/hooks': '/assets/vendor/preact-hooks.js',
    htm: '/assets/vendor/htm.js',
    'htm/preact': '/assets/vendor/htm-preact.js',
    uplot: '/assets/vendor/uplot.js',
  },
});

/** A page: head, navigation and an empty root; the entry module fills it. */
export function shellPage(c: Context, shell: Shell): Response | Promise<Response> {
  const nonce = randomBytes(16).toString('base64');
  c.header('Content-Security-Policy', contentPolicy(nonce));
  const { role, csrfToken } = shell.person;
  const data = Object.entries({ ...shell.data, role, csrf: csrfToken ?? '' }).map(
    ([name, value]) => html` data-${raw(name)}="${value}"`,
  );
  return c.html(
    html`<!doctype html>
      <html lang="en">
        ${head(shell.title, shell.styles)}
        <body class="page-${shell.here}">
          <a class="skip" href="#app">Skip to the content</a>
          ${navigation(shell)}
          <div id="app" class="app" tabindex="-1" ${data}>
            <noscript
              ><p class="empty">This page needs JavaScript. Everything runs from this machine.</p></noscript
            >
          </div>
          <script type="importmap" nonce="${nonce}">
            ${raw(importMap)}
          </script>
          <script type="module" src="/assets/bar.js"></script>
          <script type="module" src="/assets/${shell.script}"></script>
        </body>
      </html>`,
  );
}

export function head(title: string, styles: readonly string[]) {
  return html`<head>
    <meta charset="utf-8" />
    <meta
      name="viewport"
      content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
    />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Palimpsest</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    ${styles.map((style) => html`<link rel="stylesheet" href="/assets/${style}" />`)}
  </head>`;
}

function navigation({ here, person, signOut }: Shell) {
  const shown = places.filter((place) => place.here !== 'chat' || person.role === 'operator');
  return html`<header class="bar">
    <span class="brand"><img src="/assets/icon.svg" alt="" width="22" height="22" />Palimpsest</span>
    <nav aria-label="Pages">
      ${shown.map(
        (place) =>
          html`<a href="${place.path}" ${place.here === here ? raw('aria-current="page"') : ''}
            >${place.words}</a
          >`,
      )}
    </nav>
    ${person.role === 'viewer' ? html`<span class="chip" title="Figures, without what was said">viewer</span>` : ''}
    ${
      signOut
        ? html`<form method="post" action="/sign-out">
            <button class="quiet" type="submit">Sign out</button>
          </form>`
        : ''
    }
  </header>`;
}
