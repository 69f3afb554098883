import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ago, number } from './format.js';
import { platformName } from './sessions-table.js';

/** Who was turned away last, each with the line that lets them in. */
export function Denied({ entries }) {
  return html`<section aria-labelledby="denied">
    <h2 id="denied">Turned away lately</h2>
    <ul class="denied">
      ${entries.map((entry) => html`<${Entry} key=${`${entry.platform}-${entry.senderId}-${entry.chatId}`} entry=${entry} />`)}
    </ul>
  </section>`;
}

function Entry({ entry }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(entry.letIn);
    setCopied(true);
  };
  const times = entry.times === 1 ? 'once' : `${number(entry.times)} times`;
  return html`<li>
    <span>${platformName(entry.platform)} ${entry.senderId}</span>
    <span class="minor"> · ${entry.reason.replaceAll('_', ' ')} · ${times}, ${ago(entry.lastAt)}</span>
    <div class="command">
      <code>${entry.letIn}</code>
      ${navigator.clipboard && html`<button type="button" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button>`}
    </div>
  </li>`;
}
