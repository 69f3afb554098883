import { html } from 'htm/preact';
import { duration, number, percent } from './format.js';
import { toneOf } from './timeline-groups.js';
import { outcomeWords, reasonWords } from './words.js';

/** Attempts of one kind, the most frequent first. */
export function AttemptTable({ groups }) {
  if (groups.length === 0)
    return html`<div class="sheet"><p class="empty">No attempt in this time.</p></div>`;
  return html`<div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">Layer, trigger</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="number">Attempts</th>
          <th scope="col" class="number">Tokens before → after</th>
          <th scope="col" class="number">Reclaimed</th>
          <th scope="col" class="number">Took (median)</th>
        </tr>
      </thead>
      <tbody>
        ${groups.map((group) => html`<${Group} key=${`${group.layer}-${group.trigger}-${group.outcome}-${group.reason}`} group=${group} />`)}
      </tbody>
    </table>
  </div>`;
}

function Group({ group }) {
  const { layer, trigger, outcome, reason, attempts, tokensBefore, tokensAfter, medianMs, longestMs } = group;
  const isChange = tokensBefore > 0;
  return html`<tr>
    <td data-name="Layer, trigger">
      ${layer.replaceAll('_', ' ')}<small>${trigger.replaceAll('_', ' ')}</small>
    </td>
    <td class="double" data-name="Outcome">
      <span class=${`chip ${toneOf(group)}`}>${outcomeWords(outcome)}</span>
      ${reason !== 'none' && html`<small>${reasonWords(reason)}</small>`}
    </td>
    <td class="number" data-name="Attempts">${number(attempts)}</td>
    <td class="number double" data-name="Tokens before → after">
      ${isChange ? `${number(tokensBefore)} → ${number(tokensAfter)}` : '–'}
    </td>
    <td class="number" data-name="Reclaimed">
      ${isChange ? number(tokensBefore - tokensAfter) : '–'}
      ${isChange && html`<small>${percent(tokensAfter, tokensBefore)} % left</small>`}
    </td>
    <td class="number double" data-name="Took (median)">
      ${duration(medianMs)}${longestMs !== null && html`<small>longest ${duration(longestMs)}</small>`}
    </td>
  </tr>`;
}
