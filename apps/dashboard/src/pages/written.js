import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { BlockSheet } from './dcp-block.js';
import { NodeSheet } from './lcm-node.js';
import { TextBox } from './text-box.js';
import { useJson } from './use-json.js';
import { plural } from './words.js';

/** The texts that a compaction put in the place of rows: a summary, nodes of the graph or blocks, each down to its lines. */
export function Written({ row, path }) {
  if (row.summaryText)
    return html`<details class="under-text">
      <summary>The summary it wrote</summary>
      <${TextBox}>${row.summaryText}<//>
    </details>`;
  return row.wrote > 0 && html`<${Several} row=${row} path=${path} />`;
}

function Several({ row, path }) {
  const [open, setOpen] = useState(false);
  const words = `${plural(row.wrote, 'summary', 'summaries')} it wrote`;
  return html`<details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${words}</summary>
    ${open && html`<${List} list=${`${path}/compactions/${row.id}/written`} path=${path} />`}
  </details>`;
}

function List({ list, path }) {
  const { data, problem } = useJson(list);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (!data) return html`<p class="minor">Reading …</p>`;
  return html`<ol class="sheets">
    ${data.nodes.map((node) => html`<li key=${node.id}><${NodeSheet} node=${node} path=${path} shown /></li>`)}
    ${data.blocks.map((block) => html`<li key=${block.number}><${BlockSheet} block=${block} path=${path} shown /></li>`)}
  </ol>`;
}
