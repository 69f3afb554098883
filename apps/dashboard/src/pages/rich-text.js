/** The few marks that models use in plain talk: code, bold, links. Everything stays text; nothing becomes HTML. */
import { html } from 'htm/preact';

const fence = /^```[^\n`]*\n([\s\S]*?)(?:\n```[ \t]*$|$(?![\s\S]))/m;
const marks = /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|(https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}])/g;

export function richText(text) {
  const parts = [];
  let rest = text;
  for (let found = fence.exec(rest); found; found = fence.exec(rest)) {
    parts.push(...spans(rest.slice(0, found.index).replace(/\n$/, '')));
    parts.push(html`<pre tabindex="0"><code>${found[1]}</code></pre>`);
    rest = rest.slice(found.index + found[0].length).replace(/^\n/, '');
  }
  return [...parts, ...spans(rest)];
}

function spans(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(marks)) {
    parts.push(text.slice(at, found.index), span(found[0]));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== '');
}

function span(mark) {
  if (mark.startsWith('`')) return html`<code>${mark.slice(1, -1)}</code>`;
  if (mark.startsWith('**')) return html`<strong>${mark.slice(2, -2)}</strong>`;
  return html`<a href=${mark} target="_blank" rel="noopener noreferrer">${mark}</a>`;
}
