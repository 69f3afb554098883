import { html } from 'htm/preact';
import { AttemptDetails } from './attempt-details.js';
import { factsOf } from './attempt-facts.js';
import { isOperator } from './api.js';
import { ago, exactly, number, percent } from './format.js';
import { More } from './more.js';
import { UnderRows } from './row-sheet.js';
import { groupAttempts, isNewChapter, toneOf } from './timeline-groups.js';
import { usePaged } from './use-paged.js';
import { Written } from './written.js';
import { outcomeWords, plural, reasonWords } from './words.js';

/** Every attempt to make room, newest first. */
export function Timeline({ path, tick }) {
  const paged = usePaged(`${path}/compactions?limit=8`, { list: 'compactions', cursor: 'before', tick });
  const empty =
    'No compaction yet. One starts by itself when the talk fills its window; /compress asks for one.';
  return html`<section aria-labelledby="timeline">
    <h2 id="timeline">Compactions</h2>
    <ol class="timeline">
      ${groupAttempts(paged.items).map((group) => html`<${Group} key=${group.rows[0].id} group=${group} path=${path} />`)}
    </ol>
    <${More} paged=${paged} empty=${empty} />
  </section>`;
}

function Group({ group, path }) {
  const [first] = group.rows;
  if (group.rows.length === 1) return html`<${Attempt} row=${first} path=${path} />`;
  return html`<li class="attempt quiet">
    <details>
      <summary>
        ${plural(group.rows.length, 'attempt')} declined: ${reasonWords(first.reason)}
        <span class="minor"> · <${When} at=${first.startedAt} /></span>
      </summary>
      <ol class="timeline">
        ${group.rows.map((row) => html`<${Attempt} key=${row.id} row=${row} path=${path} />`)}
      </ol>
    </details>
  </li>`;
}

function Attempt({ row, path }) {
  const { figures } = row;
  const kind = isNewChapter(row) ? 'new chapter' : row.trigger.replaceAll('_', ' ');
  return html`<li class=${`attempt ${toneOf(row)} ${row.undoneBy ? 'undone' : ''}`}>
    <div class="head">
      <strong>#${row.id}</strong>
      <span class=${`chip ${toneOf(row)}`} title=${row.outcome}>${outcomeWords(row.outcome)}</span>
      ${row.undoneBy && html`<span class="chip warn">taken back by #${row.undoneBy}</span>`}
      <span>${kind}${row.layer !== row.trigger && ` · layer ${row.layer.replaceAll('_', ' ')}`}</span>
      <span class="minor"><${When} at=${row.startedAt} /> · ${row.engine}</span>
    </div>
    ${row.reason !== 'none' && html`<p>${reasonWords(row.reason)}</p>`}
    ${row.message && html`<p class="minor">${row.message}</p>`} ${figures && html`<${Change} row=${row} />`}
    <p class="minor facts">${factsOf(row).map((fact) => html`<span key=${fact}>${fact}</span>`)}</p>
    <${Written} row=${row} path=${path} />
    <${AttemptDetails} row=${row} path=${path} />
    ${row.replaced && html`<${Replaced} row=${row} path=${path} />`}
  </li>`;
}

/** The rows that lie under it, from when to when; a viewer sees the range only. */
function Replaced({ row: { id, replaced }, path }) {
  const { rows, firstSeq, lastSeq, firstAt, lastAt } = replaced;
  const words = `${plural(rows, 'row')} it replaced: seq ${number(firstSeq)} to ${number(lastSeq)}, ${exactly(firstAt)} to ${exactly(lastAt)}`;
  if (!isOperator()) return html`<p class="minor">${words}</p>`;
  return html`<${UnderRows} words=${words} list=${`${path}/rows?archivedBy=${id}`} path=${path} />`;
}

function When({ at }) {
  return html`<time datetime=${at} title=${exactly(at)}>${ago(at)}</time>`;
}

/** Before and after as two bars of one scale: the window. */
function Change({ row }) {
  const { figures, windowTokens, tokensAfterConfirmed } = row;
  if (isNewChapter(row))
    return html`<p>${plural(figures.rowsArchived, 'row')} set aside for a new chapter.</p>`;
  const { tokensBefore, tokensAfter } = figures;
  const confirmed =
    tokensAfterConfirmed === null ? '' : `; the model then counted ${number(tokensAfterConfirmed)}`;
  const width = (tokens) => ({ width: `${Math.min(100, (tokens / windowTokens) * 100)}%` });
  return html`<div class="change">
    <div class="bars" aria-hidden="true">
      <i class="before" style=${width(tokensBefore)}></i><i class="after" style=${width(tokensAfter)}></i>
    </div>
    <p>
      <strong>${number(tokensBefore)} → ${number(tokensAfter)}</strong>
      ${` tokens, ${percent(tokensAfter, tokensBefore)} % left${confirmed}`}
    </p>
  </div>`;
}
