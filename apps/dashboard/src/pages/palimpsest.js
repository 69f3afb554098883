import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { BlockSheet } from './dcp-block.js';
import { NodeSheet } from './lcm-node.js';
import { More } from './more.js';
import { RowSheet, UnderRows } from './row-sheet.js';
import { usePaged } from './use-paged.js';
import { plural } from './words.js';

/** The text in two ways: as the model reads it, older text underneath; or every row that was ever stored. */
export function Palimpsest({ path, tick }) {
  const [everything, setEverything] = useState(false);
  const choice = (value, words) =>
    html`<button
      type="button"
      aria-pressed=${String(everything === value)}
      onClick=${() => setEverything(value)}
    >
      ${words}
    </button>`;
  return html`<section aria-labelledby="palimpsest">
    <div class="title">
      <h2 id="palimpsest">The text</h2>
      <div class="choice" role="group" aria-label="What is shown">
        ${choice(false, 'As the model reads it')}${choice(true, 'Everything ever stored')}
      </div>
    </div>
    ${everything ? html`<${AllRows} path=${path} tick=${tick} />` : html`<${Page} path=${path} tick=${tick} />`}
  </section>`;
}

function Page({ path, tick }) {
  const paged = usePaged(`${path}/palimpsest`, { list: 'places', tick });
  return html`<ol class="sheets">
      ${paged.items.map((place) => html`<${Place} key=${`${place.kind}-${place.seq}`} place=${place} path=${path} />`)}
    </ol>
    <${More} paged=${paged} empty="No rows yet." />
    ${paged.next !== null && html`<p class="minor">${plural(paged.total - paged.items.length, 'more place', 'more places')}</p>`}`;
}

function Place({ place, path }) {
  if (place.kind === 'node')
    return html`<li><${NodeSheet} node=${place.node} path=${path} shown=${true} /></li>`;
  if (place.kind === 'block')
    return html`<li><${BlockSheet} block=${place.block} path=${path} shown=${true} /></li>`;
  const { row, under } = place;
  const words = row.replaces === null ? `${plural(under, 'older row')} underneath` : 'The row it stands for';
  const list = `${path}/palimpsest/${row.id}/rows`;
  return html`<${RowSheet} row=${row} path=${path}>
    ${under > 0 && html`<${UnderRows} words=${words} list=${list} path=${path} />`}
  <//>`;
}

function AllRows({ path, tick }) {
  const paged = usePaged(`${path}/rows`, { list: 'rows', tick });
  return html`<ol class="sheets">
      ${paged.items.map((row) => html`<${RowSheet} key=${row.id} row=${row} path=${path} />`)}
    </ol>
    <${More} paged=${paged} empty="No rows yet." />`;
}
