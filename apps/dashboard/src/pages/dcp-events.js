import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { ago, exactly } from './format.js';
import { More } from './more.js';
import { usePaged } from './use-paged.js';

const kinds = {
  compress: { words: 'condensed', tone: 'good' },
  compress_failed: { words: 'compress call refused', tone: 'warn' },
  nudge: { words: 'reminded', tone: '' },
  decompress: { words: 'block turned off', tone: '' },
  recompress: { words: 'block turned on', tone: '' },
  manual: { words: 'manual mode', tone: '' },
  sweep: { words: 'swept', tone: '' },
  hygiene: { words: 'early clean-up', tone: '' },
  emergency: { words: 'emergency', tone: 'bad' },
  taint: { words: 'block tainted', tone: 'warn' },
  reset: { words: 'rewritten', tone: 'warn' },
};

/** What happened, newest first; reminders alone when asked. */
export function DcpEvents({ path, tick }) {
  const [nudges, setNudges] = useState(false);
  const paged = usePaged(`${path}/dcp/events?${nudges ? 'kind=nudge' : ''}`, {
    list: 'events',
    cursor: 'before',
    tick,
  });
  return html`<div class="title">
      <h3>What happened</h3>
      <div class="choice" role="group" aria-label="Which events">
        <button type="button" aria-pressed=${String(!nudges)} onClick=${() => setNudges(false)}>All</button>
        <button type="button" aria-pressed=${String(nudges)} onClick=${() => setNudges(true)}>
          Reminders
        </button>
      </div>
    </div>
    <ol class="events">
      ${paged.items.map((event) => html`<${Event} key=${event.id} event=${event} />`)}
    </ol>
    <${More} paged=${paged} empty="Nothing happened yet." />`;
}

function Event({ event }) {
  const kind = kinds[event.kind];
  const details = Object.entries(event.detail).map(
    ([name, value]) => `${nameWords(name)} ${valueWords(value)}`,
  );
  return html`<li>
    <span class=${`chip ${kind.tone}`}>${kind.words}</span> <span>${details.join(', ')}</span>
    <time class="minor" datetime=${event.createdAt} title=${exactly(event.createdAt)}
      >${ago(event.createdAt)}</time
    >
  </li>`;
}

/** `removedTokens` → `removed tokens` */
function nameWords(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueWords(value) {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'number') return new Intl.NumberFormat().format(value);
  return String(value ?? '–').replaceAll('_', ' ');
}
