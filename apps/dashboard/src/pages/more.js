import { html } from 'htm/preact';

/** The end of a list that is read page by page: go on, what went wrong, or that nothing is there. */
export function More({ paged, empty = '' }) {
  const { items, next, read, problem, more } = paged;
  if (problem)
    return html`<p class="problem" role="alert">
      ${problem} <button type="button" class="link" onClick=${more}>Try again</button>
    </p>`;
  if (!read) return html`<p class="minor">Reading …</p>`;
  if (items.length === 0) return empty && html`<p class="minor">${empty}</p>`;
  return next !== null && html`<p><button type="button" onClick=${more}>Read further</button></p>`;
}
