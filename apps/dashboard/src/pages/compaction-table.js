import { html } from 'htm/preact';
import { ago, duration, exactly, number, percent, shortId } from './format.js';
import { isNewChapter, toneOf } from './timeline-groups.js';
import { outcomeWords, reasonWords } from './words.js';

const confirmedWords =
  'Tokens of the prompt as the model counted them at the next answer; – as long as there was none';

/** The ledger, newest first. `withSession`: rows of many sessions, each links to its own. */
export function CompactionTable({ rows, withSession }) {
  if (rows.length === 0) {
    return html`<div class="sheet">
      <p class="empty">
        No compaction yet. One starts by itself when a talk fills its window; /compress asks for one.
      </p>
    </div>`;
  }
  return html`<div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          ${withSession && html`<th scope="col">Session</th>`}
          <th scope="col">Layer, trigger</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">Tokens before → after</th>
          <th scope="col" class="number" title=${confirmedWords}>Confirmed by the model</th>
          <th scope="col" class="number">Took</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<${CompactionRow} key=${row.id} row=${row} withSession=${withSession} />`)}
      </tbody>
    </table>
  </div>`;
}

function CompactionRow({ row, withSession }) {
  return html`<tr>
    <td data-name="When">
      <time datetime=${row.startedAt} title=${exactly(row.startedAt)}>${ago(row.startedAt)}</time>
    </td>
    ${withSession && html`<td data-name="Session"><a href=${`/sessions/${row.sessionId}`}>${shortId(row.sessionId)}</a></td>`}
    <td class=${withSession ? '' : 'double'} data-name="Layer, trigger">
      ${row.layer.replaceAll('_', ' ')}<small
        >${isNewChapter(row) ? 'new chapter' : row.trigger.replaceAll('_', ' ')}</small
      >
    </td>
    <td class="double" data-name="Outcome"><${Outcome} row=${row} /></td>
    <td class="number double late" data-name="Tokens before → after"><${Tokens} row=${row} /></td>
    <td class="number late" data-name="Confirmed by the model" title=${confirmedWords}>
      ${row.tokensAfterConfirmed === null ? '–' : number(row.tokensAfterConfirmed)}
    </td>
    <td class="number soon" data-name="Took">${duration(row.durationMs)}</td>
  </tr>`;
}

function Outcome({ row }) {
  return html`<span class=${`chip ${toneOf(row)}`}>${outcomeWords(row.outcome)}</span>
    ${row.reason !== 'none' && html`<small>${reasonWords(row.reason)}</small>`}`;
}

function Tokens({ row }) {
  const { figures } = row;
  if (!figures) return '–';
  if (isNewChapter(row)) return html`–<small>${number(figures.rowsArchived)} rows set aside</small>`;
  const { tokensBefore, tokensAfter } = figures;
  return html`${number(tokensBefore)} → ${number(tokensAfter)}
    <small
      >${percent(tokensAfter, tokensBefore)} % left, ${number(figures.rowsArchived)} rows
      archived${figures.imagesDropped ? `, ${number(figures.imagesDropped)} images dropped` : ''}</small
    >`;
}
