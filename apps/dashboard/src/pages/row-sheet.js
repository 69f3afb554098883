import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { getJson } from './api.js';
import { exactly, number } from './format.js';
import { More } from './more.js';
import { TextBox } from './text-box.js';
import { usePaged } from './use-paged.js';

/** One row: who, when, what; long texts in parts. `path` is that of the session. */
export function RowSheet({ row, path, children }) {
  return html`<li class=${`row ${row.kind} ${row.state} ${row.calls.length > 0 ? 'calls' : ''}`}>
    <div class="who">
      <strong>${row.sender ?? (row.kind === 'summary' ? 'summary' : row.role)}</strong>
      <span>${row.state === 'live' ? '' : `${row.state} · `}${number(row.tokens)} tokens</span>
      <time datetime=${row.sentAt}>${exactly(row.sentAt)}</time>
      ${row.archivedBy !== null && html`<span>by compaction #${row.archivedBy}</span>`}
    </div>
    <${LongText} text=${row.text} cut=${row.cut} path=${`${path}/rows/${row.id}/text`} />
    ${row.calls.length > 0 && html`<div class="minor">calls ${row.calls.join(', ')}</div>`} ${children}
  </li>`;
}

/** A text of which the beginning is here; the rest is read when it is asked for. */
function LongText({ text, cut, path }) {
  const [rest, setRest] = useState({ text: '', next: cut > 0 ? text.length : null, problem: '' });
  const more = async () => {
    try {
      const { text: piece, next } = await getJson(`${path}?from=${rest.next}`);
      setRest((old) => ({ text: old.text + piece, next, problem: '' }));
    } catch (error) {
      setRest((old) => ({ ...old, problem: error.message }));
    }
  };
  if (!text) return null;
  return html`<${TextBox}>${text}${rest.text}<//> ${
      rest.next !== null &&
      html`<button class="link" type="button" onClick=${more}>
        ${number(Math.max(0, cut - rest.text.length))} more characters
      </button>`
    }
    ${rest.problem && html`<p class="problem" role="alert">${rest.problem}</p>`}`;
}

/** Rows that lie under something, read when it is opened. */
export function UnderRows({ words, list, path }) {
  const [open, setOpen] = useState(false);
  return html`<details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${words}</summary>
    ${open && html`<${RowList} list=${list} path=${path} />`}
  </details>`;
}

/** list  where the rows are read; path  of the session */
export function RowList({ list, path }) {
  const paged = usePaged(list, { list: 'rows' });
  return html`<ol class="sheets">
      ${paged.items.map((row) => html`<${RowSheet} key=${row.id} row=${row} path=${path} />`)}
    </ol>
    <${More} paged=${paged} empty="Nothing is stored under it any more." />`;
}
