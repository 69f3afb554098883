import { html } from 'htm/preact';
import { Drawing } from './drawing.js';
import { number } from './format.js';
import { OpenNode } from './lcm-node.js';
import { footHeight, layGraph } from './lay-graph.js';
import { useJson } from './use-json.js';
import { escalationWords, plural } from './words.js';

const states = {
  shown: 'stands in the context',
  under: 'under a node of the context',
  left: 'left the context',
};

/** The graph as a picture: nodes by depth, lines to their sources, the rows that leaves cover at the foot. */
export function LcmGraph({ path, tick }) {
  const { data, problem } = useJson(`${path}/lcm/drawing`, tick);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (!data || data.nodes.length === 0) return null;
  const drawn = layGraph(data);
  const shown = drawn.boxes.filter(({ node }) => node.depth === 0).length;
  return html`<${Drawing}
      label=${wordsOf(data, drawn)}
      drawn=${drawn}
      nameOf=${nameOf}
      inside=${({ node }) => number(node.tokens)}
      open=${(id) => html`<${OpenNode} key=${id} id=${id} path=${path} />`}
    >
      ${drawn.bands.map(
        ({ id, state, from, to }) =>
          html`<path
            key=${id ?? 'live'}
            class=${`band ${state}`}
            d=${`M${from[0]} ${from[2]}L${from[1]} ${from[2]}L${to[1]} ${to[2]}V${to[2] + footHeight}H${to[0]}V${to[2]}Z`}
          />`,
      )}
      ${drawn.lines.map(({ from, to }) => html`<path key=${`${from}-${to}`} class="edge" d=${curve(from, to)} />`)}
    <//>
    <ul class="legend" aria-hidden="true">
      <li><i class="swatch box shown"></i>in the context</li>
      <li><i class="swatch box under"></i>under it</li>
      ${drawn.boxes.some(({ state }) => state === 'left') && html`<li><i class="swatch box left"></i>left the context</li>`}
      <li><i class="swatch covered"></i>rows under a leaf</li>
      ${data.live && html`<li><i class="swatch rows-now"></i>rows as they are</li>`}
    </ul>
    <p class="minor">${noteWords(shown, data.leaves)}</p>`;
}

function noteWords(shown, leaves) {
  const part = shown < leaves ? `Drawn over the newest ${number(shown)} of ${number(leaves)} leaves. ` : '';
  return `Arrow keys walk through it, Enter opens a node. ${part}The same stands below as lists.`;
}

function curve([x1, y1], [x2, y2]) {
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}

function nameOf({ node, state }) {
  const { depth, tokens, messages, sourceIds, escalation } = node;
  const over = depth === 0 ? plural(messages, 'message') : plural(sourceIds.length, 'source');
  const how = escalationWords(escalation);
  return `${depth === 0 ? 'Leaf' : `Node of depth ${depth}`}, ${number(tokens)} tokens over ${over}, ${states[state]}${how ? `, ${how.words}` : ''}`;
}

function wordsOf({ live }, { boxes }) {
  const depths = [...new Set(boxes.map(({ node }) => node.depth))].sort((one, other) => other - one);
  const counts = depths.map((depth) => {
    const count = boxes.filter(({ node }) => node.depth === depth).length;
    return depth === 0 ? plural(count, 'leaf', 'leaves') : `${plural(count, 'node')} of depth ${depth}`;
  });
  const covered = boxes.reduce((sum, { node }) => sum + node.messages, 0);
  return `Drawing of the graph: ${counts.join(' over ')}, over ${plural(covered, 'message')}; ${plural(live?.rows ?? 0, 'row')} as they are.`;
}
