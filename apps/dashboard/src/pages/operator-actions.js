import { html } from 'htm/preact';
import { ago, exactly, shortId } from './format.js';
import { More } from './more.js';
import { usePaged } from './use-paged.js';

const acts = {
  compact: 'asked for a compaction',
  preview: 'looked at what a compaction would do',
  undo_compaction: 'asked to take a compaction back',
  reset_rests: 'let compaction try again',
  reset_breaker: 'let a summary model be asked again',
  release_lease: 'took it from its worker',
  switch_engine: 'chose another engine',
  switch_model: 'chose another model',
  export: 'exported it',
  import: 'brought in an older conversation',
  erase: 'erased it',
  retry_delivery: 'sent a reply again',
  drop_delivery: 'dropped a reply',
  retry_event: 'had a hook told of an event again',
  drop_event: 'dropped an event that a hook was to hear of',
  retry_message: 'had a given up message answered',
  drop_message: 'dropped a given up message',
};

/** Who did what, newest first; of one session or of all. */
export function OperatorActions({ title, session = '', tick = 0 }) {
  const paged = usePaged(`/api/actions?limit=20${session && `&session=${encodeURIComponent(session)}`}`, {
    list: 'actions',
    cursor: 'before',
    tick,
  });
  return html`<section aria-labelledby="operators">
    <h2 id="operators">${title}</h2>
    <ol class="lines stream">
      ${paged.items.map(
        (one) =>
          html`<li key=${one.id}>
            <time datetime=${one.at} title=${exactly(one.at)}>${ago(one.at)}</time>
            <strong>${one.actor}</strong>
            <span>${acts[one.act] ?? one.act}${one.target ? `: ${one.target}` : ''}</span>
            ${
              !session &&
              one.sessionId &&
              html`<a href=${`/sessions/${one.sessionId}`} aria-label=${`Session ${one.sessionId}`}
                >${shortId(one.sessionId)}</a
              >`
            }
            ${one.via !== 'dashboard' && html`<span class="chip">${one.via}</span>`}
          </li>`,
      )}
    </ol>
    <${More} paged=${paged} empty="Nothing so far." />
  </section>`;
}
