import { html } from 'htm/preact';
import { BlockSheet } from './dcp-block.js';
import { Drawing } from './drawing.js';
import { number } from './format.js';
import { layBlocks } from './lay-blocks.js';
import { useJson } from './use-json.js';
import { activities, plural } from './words.js';

/** Blocks as bars over the live rows; a block that took others in lies over them. */
export function DcpMap({ path, tick }) {
  const { data, problem } = useJson(`${path}/dcp/map`, tick);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (!data || data.blocks.length === 0) return null;
  const drawn = layBlocks(data);
  const gone = data.all - data.blocks.length;
  return html`<${Drawing}
    label=${`Drawing of the blocks: ${plural(data.blocks.length, 'block')} over ${plural(data.rows, 'row')}, of which ${number(data.hidden)} are hidden.`}
    drawn=${drawn}
    nameOf=${nameOf}
    inside=${({ block }) => `b${block.number}`}
    open=${(id) => html`<${OpenBlock} key=${id} number=${Number(id)} path=${path} tick=${tick} />`}
  >
    <rect class="rows-now" x="0" y=${drawn.height - 12} width=${drawn.width} height="12" rx="3" />
      ${data.ranges.map(
        ({ first, last }) =>
          html`<rect
            key=${first}
            class="rows-hidden"
            x=${(first / data.rows) * drawn.width}
            y=${drawn.height - 12}
            width=${((last - first + 1) / data.rows) * drawn.width}
            height="12"
          />`,
      )}
    <//>
    <ul class="legend" aria-hidden="true">
      <li><i class="swatch box shown"></i>shown to the model</li>
      <li><i class="swatch box under"></i>inside a newer block</li>
      <li><i class="swatch box left"></i>off</li>
      <li><i class="swatch rows-hidden"></i>rows hidden by a block</li>
      <li><i class="swatch rows-now"></i>rows as they are</li>
    </ul>
    <p class="minor">${noteWords(gone)}</p>
   `;
}

function noteWords(gone) {
  const part =
    gone > 0 ? `${plural(gone, 'block is', 'blocks are')} not drawn: older, or without live rows. ` : '';
  return `Arrow keys walk through it, Enter opens a block. ${part}The same stands below as a list.`;
}

function OpenBlock({ number: which, path, tick }) {
  const { data, problem } = useJson(`${path}/dcp/blocks?after=${which - 1}&limit=1`, tick);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  const [block] = data?.blocks ?? [];
  return block ? html`<${BlockSheet} block=${block} path=${path} />` : html`<p class="minor">Reading …</p>`;
}

function nameOf({ block }) {
  const { number: which, activity, last, first, consumed, consumedBy, topic } = block;
  const inside = consumed.length > 0 ? `, took in ${consumed.map((one) => `b${one}`).join(', ')}` : '';
  const holder = consumedBy === null ? '' : `, now in b${consumedBy}`;
  return `b${which} ${topic ?? ''}: rows ${number(first + 1)} to ${number(last + 1)}, ${activities[activity].words}${inside}${holder}`;
}
