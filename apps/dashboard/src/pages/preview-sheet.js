import { html } from 'htm/preact';
import { number } from './format.js';
import { dollars, plural, reasonWords } from './words.js';

/** What a compaction would do now. */
export function PreviewSheet({ preview }) {
  const { ranges, rowsBefore, rowsAfter, tokensBefore, tokensAfter, summaryModel } = preview;
  if (ranges.length === 0)
    return html`<p class="note">Nothing would change: ${reasonWords(preview.reason)}.</p>`;
  return html`<dl class="facts-list preview">
    <div>
      <dt>Messages</dt>
      <dd>${number(rowsBefore)} → ${number(rowsAfter)}</dd>
    </div>
    <div>
      <dt>Tokens</dt>
      <dd>${number(tokensBefore)} → about ${number(tokensAfter)}</dd>
    </div>
    <div>
      <dt>Would leave</dt>
      <dd>
        ${ranges.map(({ first, last, rows, tokens }) => `messages ${first}–${last} (${plural(rows, 'row')}, ${number(tokens)} tokens)`).join(', ')}
      </dd>
    </div>
    <div>
      <dt>Summary by ${summaryModel}</dt>
      <dd>
        ${plural(preview.summaryCalls, 'call')}, reads about ${number(preview.summaryInputTokens)} tokens,
        writes at most ${number(preview.summaryOutputTokens)}${priceWords(preview.price)}
      </dd>
    </div>
  </dl>`;
}

/** Nothing is said of what is not known. */
function priceWords(price) {
  const summary =
    typeof price?.summaryDollars === 'number' ? `, at most ${dollars(price.summaryDollars)}` : '';
  const reread =
    typeof price?.rereadDollars === 'number'
      ? `; the next answer reads ${number(price.rereadTokens)} tokens anew, ${dollars(price.rereadDollars)}`
      : '';
  return `${summary}${reread}`;
}
