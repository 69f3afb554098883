import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { number } from './format.js';
import { RowList } from './row-sheet.js';
import { TextBox } from './text-box.js';
import { useJson } from './use-json.js';
import { escalationWords, plural, timeRange } from './words.js';

/** `sum_` and eight digits tell nodes apart; the whole id is in the title. */
function shortNode(id) {
  return `${id.slice(0, 12)}…`;
}

/** A node of the graph. `shown`: its text is part of the prompt and stands open; else it opens with what is under it. */
export function NodeSheet({ node, path, shown = false }) {
  const [open, setOpen] = useState(false);
  const count = plural(node.messages, 'message');
  return html`<div class=${`node ${shown ? 'in-context' : ''}`}>
    ${shown && html`<${NodeHead} node=${node} /> <${TextBox}>${wholeText(node)}<//>`}
    <details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${shown ? `${count} underneath` : html`<${NodeHead} node=${node} />`}</summary>
      ${open && html`<${Inside} node=${node} path=${path} withText=${!shown} />`}
    </details>
  </div>`;
}

function wholeText({ text, cut }) {
  return cut > 0 ? `${text} … (${number(cut)} more characters)` : text;
}

function NodeHead({ node }) {
  const escalation = escalationWords(node.escalation);
  const below = node.depth === 0 ? '' : `${plural(node.descendantCount, 'node')} below · `;
  return html`<span class="node-head">
    <strong>${node.kind === 'leaf' ? 'Leaf' : `Condensed, depth ${node.depth}`}</strong>
    <code title=${node.id}>${shortNode(node.id)}</code>
    <span>${number(node.tokens)} tokens for ${number(node.sourceMessageTokens)}</span>
    <span>${below}${plural(node.messages, 'message')}</span>
    <span>${timeRange(node.earliestAt, node.latestAt)}</span>
    ${escalation && html`<span class=${`chip ${escalation.tone}`}>${escalation.words}</span>`}
    ${node.supersededBy && html`<span class="chip" title=${node.supersededBy}>rewritten</span>`}
  </span>`;
}

/** A model of one's own has no provider's name. */
function modelName({ provider, model }) {
  return provider ? `${provider}/${model}` : model;
}

/** A node whole, by its id alone. */
export function OpenNode({ id, path }) {
  const { data: found, problem } = useJson(`${path}/lcm/nodes/${id}`);
  return html`<div class="node">
    ${found && html`<${NodeHead} node=${found.node} />`}
    <${Found} found=${found} problem=${problem} path=${path} withText />
  </div>`;
}

function Inside({ node, path, withText }) {
  const { data: found, problem } = useJson(`${path}/lcm/nodes/${node.id}`);
  return html`<${Found} found=${found} problem=${problem} path=${path} withText=${withText} />`;
}

/** Its text, then its sources or its messages. */
function Found({ found, problem, path, withText }) {
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (found === null) return html`<p class="minor">Reading …</p>`;
  const whole = found.node;
  const facts = [
    whole.model ? `written by ${modelName(whole)}` : 'written without a model',
    found.isInContext ? 'stands in the context' : 'not in the context itself',
    found.sources.length > 0 && `made from ${plural(found.sources.length, 'source')}`,
    whole.files > 0 && `names ${plural(whole.files, 'file')}`,
  ].filter(Boolean);
  return html`${withText && html`<${TextBox}>${wholeText(whole)}<//>`}
    <p class="minor">${facts.join(' · ')} · <code>${whole.id}</code></p>
    ${
      whole.depth === 0
        ? html`<${RowList} list=${`${path}/lcm/nodes/${whole.id}/messages`} path=${path} />`
        : html`<ol class="sheets">
            ${found.sources.map((source) => html`<li key=${source.id}><${NodeSheet} node=${source} path=${path} /></li>`)}
          </ol>`
    }`;
}
