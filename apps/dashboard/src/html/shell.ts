import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { contentPolicy } from '../guards/security-headers.ts';

export interface Shell {
  title: string;
  /** Entry module and style sheets below /assets. */
  script: string;
  styles: readonly string[];
  /** What the entry module reads from `data-…` attributes of its root. */
  data: Readonly<Record<string, string>>;
  /** Where we are, for the navigation. */
  here: 'sessions' | 'chat';
  signOut: boolean;
}

const importMap = JSON.stringify({
  imports: {
    preact: '/assets/vendor/preact.js',
    'preact/hooks': '/assets/vendor/preact-hooks.js',
    htm: '/assets/vendor/htm.js',
    'htm/preact': '/assets/vendor/htm-preact.js',
  },
});

/** A page: head, navigation and an empty root; the entry module fills it. */
export function shellPage(c: Context, shell: Shell): Response | Promise<Response> {
  const nonce = randomBytes(16).toString('base64');
  c.header('Content-Security-Policy', contentPolicy(nonce));
  const data = Object.entries(shell.data).map(([name, value]) => html` data-${raw(name)}="${value}"`);
  return c.html(
    html`<!doctype html>
      <html lang="en">
        ${head(shell.title, shell.styles)}
        <body class="page-${shell.here}">
          <a class="skip" href="#app">Skip to the content</a>
          ${navigation(shell)}
          <div id="app" class="app" ${data}>
            <noscript
              ><p class="empty">This page needs JavaScript. Everything runs from this machine.</p></noscript
            >
          </div>
          <script type="importmap" nonce="${nonce}">
            ${raw(importMap)}
          </script>
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

function navigation(shell: Shell) {
  const link = (here: Shell['here'], path: string, words: string) =>
    html`<a href="${path}" ${shell.here === here ? raw('aria-current="page"') : ''}>${words}</a>`;
  return html`<header class="bar">
    <span class="brand"><img src="/assets/icon.svg" alt="" width="22" height="22" />Palimpsest</span>
    <nav aria-label="Pages">${link('sessions', '/sessions', 'Sessions')}${link('chat', '/chat', 'Chat')}</nav>
    ${
      shell.signOut
        ? html`<form method="post" action="/sign-out">
            <button class="quiet" type="submit">Sign out</button>
          </form>`
        : ''
    }
  </header>`;
}
