import { html } from 'htm/preact';
import { exactly, number } from './format.js';
import { UnderRows } from './row-sheet.js';
import { TextBox } from './text-box.js';
import { activities, authors, plural } from './words.js';

/** A block: what it stands for and what it saves. `shown`: its text is part of the prompt and stands open. */
export function BlockSheet({ block, path, shown = false }) {
  const text = html`<${TextBox}>
    ${block.text || 'The text was erased.'}${block.cut > 0 ? ` … (${number(block.cut)} more characters)` : ''}
  <//>`;
  const list = `${path}/dcp/blocks/${block.number}/rows`;
  return html`<div
    class=${`node block ${shown ? 'in-context' : ''} ${block.activity === 'active' ? '' : 'off'}`}
  >
    <${BlockHead} block=${block} />
    ${shown ? text : html`<${Saving} block=${block} />`}
    ${
      !shown &&
      html`<details class="under-text">
        <summary>Its text</summary>
        ${text}
      </details>`
    }
    ${
      block.rows > 0
        ? html`<${UnderRows} words=${`${plural(block.rows, 'row')} underneath`} list=${list} path=${path} />`
        : html`<p class="minor">The rows it covered are no longer live.</p>`
    }
  </div>`;
}

function BlockHead({ block }) {
  const activity = activities[block.activity];
  return html`<span class="node-head">
    <strong>b${block.number}</strong>
    <span class="topic">${block.topic}</span>
    ${block.batchTopic && block.batchTopic !== block.topic && html`<span>part of ${block.batchTopic}</span>`}
    <span class=${`chip ${activity.tone}`}>${activity.words}</span>
    <span>by ${authors[block.author]}${block.mode === 'message' ? ', one message' : ''}</span>
    <span
      ><code>${block.startRef}</code
      >${block.endRef !== block.startRef && html`–<code>${block.endRef}</code>`},${' '}
      ${plural(block.units, 'unit')}</span
    >
    ${block.consumed.length > 0 && html`<span>took in ${block.consumed.map((one) => `b${one}`).join(', ')}</span>`}
    ${block.consumedBy !== null && html`<span>now in b${block.consumedBy}</span>`}
    <time class="minor" datetime=${block.createdAt}>${exactly(block.createdAt)}</time>
  </span>`;
}

function Saving({ block }) {
  return html`<p class="saving">
    <span>removed <strong>${number(block.removedTokens)}</strong></span>
    <span>summary <strong>${number(block.summaryTokens)}</strong></span>
    <span class=${block.netTokens > 0 ? 'good' : 'bad'}
      >net <strong>${number(block.netTokens)}</strong> tokens</span
    >
    ${block.compactionId !== null && html`<span class="minor">compaction #${block.compactionId}</span>`}
  </p>`;
}
