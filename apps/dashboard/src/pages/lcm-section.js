import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ago, number } from './format.js';
import { LcmGraph } from './lcm-graph.js';
import { LcmHealth } from './lcm-health.js';
import { NodeSheet } from './lcm-node.js';
import { More } from './more.js';
import { useJson } from './use-json.js';
import { usePaged } from './use-paged.js';
import { plural } from './words.js';

/** What the lossless engine did: figures, what is owed, findings, and the graph down to its messages. */
export function LcmSection({ path, tick }) {
  const { data, problem } = useJson(`${path}/lcm`, tick);
  return html`<section aria-labelledby="graph">
    <h2 id="graph">Graph of summaries</h2>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data && html`<${Figures} status=${data.status} /><${LcmHealth} lcm=${data} path=${path} />`}
    <${LcmGraph} path=${path} tick=${tick} />
    <h3>In the context now</h3>
    <${Nodes}
      list=${`${path}/lcm/context`}
      path=${path}
      tick=${tick}
      empty="No summary stands in the context yet."
    />
    ${data && html`<${Depths} status=${data.status} path=${path} tick=${tick} />`}
  </section>`;
}

function Figures({ status }) {
  const figure = (value, words) => html`<li><strong>${value}</strong><span>${words}</span></li>`;
  return html`<ul class="figures">
    ${figure(number(status.items), 'summaries in the context')}
    ${figure(number(status.itemTokens), 'tokens of them')}
    ${figure(number(status.coveredMessages), 'messages under nodes')}
    ${figure(number(status.liveMessages), 'live messages')}
    ${figure(`${number(status.files)}`, status.files === 1 ? 'file beside the text' : 'files beside the text')}
    ${status.recent[0] && figure(ago(status.recent[0].at), 'last compaction')}
  </ul>`;
}

function Nodes({ list, path, tick, empty }) {
  const paged = usePaged(list, { list: 'nodes', tick });
  return html`<ol class="sheets tree">
      ${paged.items.map((node) => html`<li key=${node.id}><${NodeSheet} node=${node} path=${path} /></li>`)}
    </ol>
    <${More} paged=${paged} empty=${empty} />`;
}

/** Every node there is, deepest first: also those that stand under others or left the context. */
function Depths({ status, path, tick }) {
  const depths = status.summariesByDepth.map((count, depth) => ({ count, depth })).toReversed();
  if (depths.length === 0) return null;
  return html`<h3>All nodes by depth</h3>
    ${depths.map(({ count, depth }) => html`<${Depth} key=${depth} depth=${depth} count=${count} path=${path} tick=${tick} />`)}`;
}

function Depth({ depth, count, path, tick }) {
  const [open, setOpen] = useState(false);
  const words = depth === 0 ? 'leaves, over messages' : `over nodes of depth ${depth - 1}`;
  return html`<details class="under-text depth" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>Depth ${depth}: ${plural(count, 'node')} <span class="minor">${words}</span></summary>
    ${open && html`<${Nodes} list=${`${path}/lcm/nodes?depth=${depth}`} path=${path} tick=${tick} empty="None." />`}
  </details>`;
}
