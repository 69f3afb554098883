import { html } from 'htm/preact';

/** Title of a page that stays true by itself, and whether it does. */
export function PageHead({ title, live, children }) {
  return html`<div class="title">
    <h1>${title}</h1>
    <span class=${`pulse ${live ? 'on' : ''}`}>${live ? 'live' : 'not connected, trying again'}</span>
    ${children}
  </div>`;
}

/** A handful of choices, one of them taken. `options`: `[value, words]` */
export function Choice({ label, options, value, onChoose }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(
      ([one, words]) =>
        html`<button
          key=${String(one)}
          type="button"
          aria-pressed=${String(one === value)}
          onClick=${() => onChoose(one)}
        >
          ${words}
        </button>`,
    )}
  </div>`;
}

/** One number with its words. */
export function Figure({ value, words, tone = '', href, title }) {
  const inside = html`<strong>${value}</strong><span>${words}</span>`;
  return html`<li class=${tone} title=${title}>
    ${href ? html`<a class="tile" href=${href}>${inside}</a>` : inside}
  </li>`;
}
