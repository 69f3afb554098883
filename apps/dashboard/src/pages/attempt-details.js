import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { isOperator } from './api.js';
import { checksOf } from './attempt-checks.js';
import { number } from './format.js';
import { TextBox } from './text-box.js';
import { useJson } from './use-json.js';
import { plural } from './words.js';

const marks = { good: '✓', warn: '!', bad: '✗' };

/** What an attempt's summary was checked for, what it left word for word, and what it changed in the summary before it. */
export function AttemptDetails({ row, path }) {
  if (!row.figures) return null;
  const own = `${path}/compactions/${row.id}`;
  const hasFormer = row.previousSummaryId !== null && row.summaryText;
  return html`${
      hasFormer &&
      html`<${Opened} words="Changes to the summary before it">
        <${Asked} list=${`${own}/changes`} show=${({ changes }) => html`<${Changes} changes=${changes} />`} />
      <//>`
    } <${CheckedAndKept} row=${row} own=${own} />`;
}

/** An attempt that put no row aside kept none either: it hid some, or gave some back. */
function CheckedAndKept({ row, own }) {
  const checks = checksOf(row);
  const hasKept = row.archivedSeqs !== null && row.figures.rowsProtected > 0;
  const words = [checks.length > 0 && 'what was checked', hasKept && 'what was kept'].filter(Boolean);
  if (words.length === 0) return null;
  const title = words.join(', and ');
  return html`<${Opened} words=${title[0].toUpperCase() + title.slice(1)}>
    <ul class="checks">
      ${checks.map(
        ({ tone, words: said }) =>
          html`<li key=${said} class=${tone}><span aria-hidden="true">${marks[tone]}</span> ${said}</li>`,
      )}
    </ul>
    ${hasKept && html`<${Asked} list=${`${own}/kept`} show=${({ kept }) => html`<${Kept} kept=${kept} />`} />`}
  <//>`;
}

function Opened({ words, children }) {
  const [open, setOpen] = useState(false);
  return html`<details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${words}</summary>
    ${open && children}
  </details>`;
}

function Asked({ list, show }) {
  const { data, problem } = useJson(list);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  return data ? show(data) : html`<p class="minor">Reading …</p>`;
}

const places = { head: 'At the head', between: 'In between', tail: 'At the tail' };

/** Without places only their number is known. */
function Kept({ kept }) {
  if (kept === null) return null;
  if (kept.places === null) return html`<p class="minor">${plural(kept.rows, 'row')} kept word for word.</p>`;
  return html`<dl class="facts-list kept-rows">
    ${Object.entries(places).map(
      ([place, words]) =>
        kept.places[place] &&
        html`<div key=${place}>
          <dt>${words}, word for word</dt>
          <dd>${rangeWords(kept.places[place])}</dd>
        </div>`,
    )}
  </dl>`;
}

function rangeWords({ rows, firstSeq, lastSeq }) {
  if (rows === 1) return `1 row, seq ${number(firstSeq)}`;
  return `${plural(rows, 'row')}, seq ${number(firstSeq)} to ${number(lastSeq)}`;
}

const fates = { added: '+', removed: '−', kept: ' ' };

/** A viewer is told how much changed, and not what. */
function Changes({ changes }) {
  if (changes === null) return html`<p class="minor">One of the two is not stored any more.</p>`;
  const count = (fate) => changes.reduce((sum, change) => sum + (change.fate === fate ? change.lines : 0), 0);
  const words = `${plural(count('added'), 'line')} added, ${number(count('removed'))} removed, ${number(count('kept'))} kept`;
  return html`<p class="minor">${words}</p>
    ${
      isOperator() &&
      html`<${TextBox}
        ><ol class="changes">
          ${changes.map((change, at) => html`<${Lines} key=${at} change=${change} />`)}
        </ol><//
      >`
    }`;
}

function Lines({ change: { fate, lines, text } }) {
  if (text === null) return html`<li class="skipped">${plural(lines, 'line')} the same</li>`;
  const said = { added: 'added: ', removed: 'removed: ' }[fate];
  return html`<li class=${fate}>
    <span aria-hidden="true">${fates[fate]}</span>
    <div>${said && html`<span class="unseen">${said}</span>`}${text}</div>
  </li>`;
}
