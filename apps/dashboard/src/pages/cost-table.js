import { html } from 'htm/preact';
import { number } from './format.js';
import { dollars, plural } from './words.js';

/** What compactions took and what later calls did not read, by layer and models. */
export function CostTable({ rows }) {
  if (rows.length === 0)
    return html`<div class="sheet"><p class="empty">Nothing was compacted in this time.</p></div>`;
  return html`<div class="sheet">
      <table>
        <thead>
          <tr>
            <th scope="col">Layer, models</th>
            <th scope="col" class="number">Compactions</th>
            <th scope="col" class="number">Summaries cost</th>
            <th scope="col" class="number">New cache entry</th>
            <th scope="col" class="number">Saved so far</th>
            <th scope="col" class="number">Pays for itself after</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => html`<${Row} key=${`${row.layer}-${row.mainModel}-${row.summaryModel}`} row=${row} />`)}
        </tbody>
      </table>
    </div>
    <p class="minor">
      A token that was taken out is counted as one read from the cache, at each model call until the session's
      next compaction. What stays is written to the cache anew.
    </p>`;
}

function Row({ row }) {
  const { economy } = row;
  const money = (value) => (economy ? dollars(value) : 'price not known');
  return html`<tr>
    <td class="whole">
      ${row.layer.replaceAll('_', ' ')}
      <small
        >${row.mainModel}${row.summaryModel && row.summaryModel !== row.mainModel && `, summaries by ${row.summaryModel}`}</small
      >
    </td>
    <td class="number" data-name="Compactions">${number(row.compactions)}</td>
    <td class="number" data-name="Summaries cost">
      ${money(economy?.summaryDollars)}<small
        >${number(row.summaryInputTokens + row.summaryOutputTokens)} tokens</small
      >
    </td>
    <td class="number" data-name="New cache entry">
      ${money(economy?.rewriteDollars)}<small>${number(row.keptTokens)} tokens</small>
    </td>
    <td class="number" data-name="Saved so far">
      ${money(economy?.savedDollars)}<small>${number(row.savedTokens)} tokens</small>
    </td>
    <td class="number double" data-name="Pays for itself after">${breakEven(economy)}</td>
  </tr>`;
}

/** In turns, as people count; in model calls alone where there was no turn since. */
function breakEven(economy) {
  if (!economy) return '–';
  if (economy.breakEvenCalls === null) return 'never';
  const calls = plural(Math.ceil(economy.breakEvenCalls), 'model call');
  if (economy.breakEvenTurns === null) return calls;
  return html`${plural(Math.ceil(economy.breakEvenTurns), 'turn')}<small>${calls}</small>`;
}
