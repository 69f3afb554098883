import { html, render } from 'htm/preact';
import { useState } from 'preact/hooks';
import { isOperator, postJson } from './api.js';
import { DeadLetters } from './dead-letters.js';
import { ago, exactly, number } from './format.js';
import { More } from './more.js';
import { Choice, PageHead } from './page-head.js';
import { platformName } from './sessions-table.js';
import { ActEnd, SureButton, useAct } from './use-act.js';
import { useJson } from './use-json.js';
import { usePaged } from './use-paged.js';
import { useTick } from './use-tick.js';
import { plural } from './words.js';

const states = {
  unknown: {
    words: 'unknown',
    tone: 'warn',
    why: 'It may have arrived: the answer to a part of it was lost.',
  },
  dead: { words: 'dead', tone: 'bad', why: 'Given up after too many attempts.' },
  failed: { words: 'refused', tone: 'bad', why: 'The platform refused it for good.' },
};
const filters = [['', 'All'], ...Object.entries(states).map(([state, { words }]) => [state, words])];

function DeliveriesPage() {
  const { tick, live } = useTick('/api/events');
  const [state, setState] = useState('');
  const [turn, setTurn] = useState(0);
  const act = useAct();
  const paged = usePaged(`/api/deliveries${state && `?state=${state}`}`, {
    list: 'replies',
    cursor: 'before',
    tick: `${tick}-${turn}`,
  });
  const { data: dead } = useJson('/api/dead', `${tick}-${turn}`);
  const press = (path) =>
    act.run(async () => {
      try {
        return await postJson(path, {});
      } finally {
        setTurn((old) => old + 1);
      }
    });
  return html`<main>
    <${PageHead} title="Deliveries" live=${live}>
      <${Choice} label="Which replies" options=${filters} value=${state} onChoose=${setState} />
    <//>
    <p class="minor">
      Replies of which nobody knows for certain that they arrived. Everything else is sent, or on its way.
    </p>
    <${ActEnd} act=${act} />
    <section aria-label="Troubled replies">
      <ol class="cards">
        ${paged.items.map((reply) => html`<${Reply} key=${reply.id} reply=${reply} act=${act} press=${press} />`)}
      </ol>
      <${More} paged=${paged} empty="None: every reply reached its chat." />
    </section>
    ${dead && html`<${DeadLetters} dead=${dead} act=${act} press=${press} />`}
  </main>`;
}

function Reply({ reply, act, press }) {
  const { words, tone, why } = states[reply.state];
  const place = `${platformName(reply.platform)} · ${reply.chatTitle ?? reply.chatId}`;
  const [open, setOpen] = useState(false);
  return html`<li class="card" aria-label=${`Reply ${reply.id}, ${words}`}>
    <div class="head">
      <strong>#${reply.id}</strong>
      <span class=${`chip ${tone}`} title=${why}>${words}</span>
      <span>${place}</span>
      <span class="minor">
        <time datetime=${reply.createdAt} title=${exactly(reply.createdAt)}>${ago(reply.createdAt)}</time>
        ${` · ${factsOf(reply)}`}
      </span>
      <a href=${`/sessions/${reply.sessionId}`}>Session</a>
    </div>
    <p>${reply.problem ?? why}</p>
    <details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>Look at it</summary>
      ${open && html`<${Inside} id=${reply.id} />`}
    </details>
    ${
      isOperator() &&
      html`<div class="actions">
        <button
          type="button"
          class="main"
          disabled=${act.busy}
          onClick=${() => press(`/api/deliveries/${reply.id}/retry`)}
        >
          Send again
        </button>
        <${SureButton}
          words="Drop"
          sure="Drop it: nobody will send it"
          disabled=${act.busy}
          onSure=${() => press(`/api/deliveries/${reply.id}/drop`)}
        />
      </div>`
    }
  </li>`;
}

function factsOf({ kind, characters, parts, partsSent, attempts }) {
  const split =
    parts === 0 ? 'never split' : `${number(partsSent)} of ${plural(parts, 'part')} with a receipt`;
  return [
    `${kind === 'final' ? 'answer' : 'notice'} of ${plural(characters, 'character')}`,
    split,
    plural(attempts, 'attempt'),
  ].join(' · ');
}

function Inside({ id }) {
  const { data, problem } = useJson(`/api/deliveries/${id}`);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (!data) return html`<p class="minor">Reading …</p>`;
  const parts =
    data.parts.length > 0 ? data.parts : [{ index: 0, state: 'pending', attempts: 0, text: data.text }];
  return html`<ol class="sheets">
    ${parts.map(
      (part) =>
        html`<li class="row" key=${part.index}>
          <div class="who">
            <strong>Part ${part.index + 1}</strong>
            <span>${part.state === 'sent' ? 'has its receipt' : part.state}</span>
            ${part.mayBeOut && html`<span class="chip warn">may be out already</span>`}
            <span>${plural(part.attempts, 'attempt')}</span>
            ${part.platformMessageId && html`<span>message <code>${part.platformMessageId}</code></span>`}
          </div>
          <div class="text" tabindex="0" role="group" aria-label=${`Text of part ${part.index + 1}`}>
            ${part.text}
          </div>
        </li>`,
    )}
  </ol>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${DeliveriesPage} />`, root);
