import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { getJson, postJson } from './api.js';
import { ActEnd, SureButton, useAct } from './use-act.js';
import { useJson } from './use-json.js';
import { PreviewSheet } from './preview-sheet.js';

const lookMs = 500;

/** What an operator may do to a session. What a worker does is told when it has done it. */
export function SessionActions({ path, session, context, refresh }) {
  const act = useAct();
  const [preview, setPreview] = useState(null);
  const [focus, setFocus] = useState('');
  const press = (wish) =>
    act.run(async (say) => {
      const answer = await postJson(`${path}/act`, wish);
      setPreview(answer.preview ?? null);
      const end = answer.request ? await answerOf(path, answer.request, say) : answer;
      refresh();
      return end;
    });
  const off = act.busy || session.endedAt !== null;
  return html`<section aria-labelledby="actions" class="session-actions">
    <h2 id="actions">Actions</h2>
    ${session.endedAt !== null && html`<p class="note">This session has ended; its chat goes on in another one.</p>`}
    <form class="actions" onSubmit=${(event) => event.preventDefault()}>
      <label class="grow">
        <span class="minor">Keep in detail</span>
        <input
          type="text"
          maxlength="500"
          placeholder="a topic, or nothing"
          value=${focus}
          onInput=${(event) => setFocus(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled=${off} onClick=${() => press({ act: 'compact', focus })}>
        Compact now
      </button>
      <button type="button" disabled=${act.busy} onClick=${() => press({ act: 'preview', focus })}>
        Preview
      </button>
      <${SureButton}
        words="Undo the last compaction"
        sure="Bring the older rows back"
        disabled=${off}
        onSure=${() => press({ act: 'undo_compaction' })}
      />
    </form>
    <${ActEnd} act=${act} />
    ${preview && html`<${PreviewSheet} preview=${preview} />`}
    <details class="under-text">
      <summary>Engine, model, rests, lease, export, erase</summary>
      <${Further}
        path=${path}
        session=${session}
        context=${context}
        press=${press}
        off=${off}
        busy=${act.busy}
      />
    </details>
  </section>`;
}

function Further({ path, session, context, press, off, busy }) {
  const { data: choices } = useJson(`${path}/choices`);
  return html`<div class="further">
    <${Switch}
      label="Engine"
      names=${choices?.engines ?? []}
      now=${context?.engine ?? session.engine}
      off=${off}
      onSwitch=${(name) => press({ act: 'switch_engine', name })}
    />
    <${Switch}
      label="Model"
      names=${choices?.models ?? []}
      now=${context?.model ?? session.model}
      off=${off}
      onSwitch=${(name) => press({ act: 'switch_model', name })}
    />
    <div class="actions">
      <button type="button" disabled=${busy} onClick=${() => press({ act: 'reset_rests' })}>
        Reset breaker and cooldown
      </button>
      <${SureButton}
        words="Release the lease"
        sure="Take it from its worker"
        disabled=${busy}
        onSure=${() => press({ act: 'release_lease' })}
      />
      <a class="button" href=${`${path}/export`} download>Export</a>
    </div>
    <${Erase} id=${session.id} busy=${busy} onErase=${(confirm) => press({ act: 'erase', confirm })} />
  </div>`;
}

function Switch({ label, names, now, off, onSwitch }) {
  const [chosen, setChosen] = useState('');
  const id = `switch-${label.toLowerCase()}`;
  return html`<div class="actions">
    <label for=${id}>${label}</label>
    <select id=${id} value=${chosen || now} onChange=${(event) => setChosen(event.currentTarget.value)}>
      ${!names.includes(now) && html`<option value=${now}>${now}</option>`}
      ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      <option value="default">as the service is set</option>
    </select>
    <button
      type="button"
      disabled=${off || chosen === '' || chosen === now}
      aria-label=${`Switch the ${label.toLowerCase()}`}
      onClick=${() => onSwitch(chosen)}
    >
      Switch
    </button>
  </div>`;
}

/** For good, so what is erased has to be named. */
function Erase({ id, busy, onErase }) {
  const [typed, setTyped] = useState('');
  const end = id.slice(-8);
  return html`<form
    class="actions"
    onSubmit=${(event) => {
      event.preventDefault();
      onErase(typed);
      setTyped('');
    }}
  >
    <label class="grow">
      <span class="minor">To erase all that was said here for good, type <code>${end}</code></span>
      <input
        type="text"
        autocomplete="off"
        spellcheck=${false}
        value=${typed}
        onInput=${(event) => setTyped(event.currentTarget.value)}
      />
    </label>
    <button type="submit" class="danger" disabled=${busy || typed.trim() !== end}>Erase</button>
  </form>`;
}

async function answerOf(path, request, say) {
  say('Asked the worker …');
  for (;;) {
    const { state, answer } = await getJson(`${path}/requests/${request}`);
    if (state === 'done') return { done: answer ?? 'Done.' };
    if (state === 'dead')
      throw new Error('It failed several times and was given up; the log of the worker says why.');
    if (state === 'withdrawn') throw new Error('It was taken back by somebody else.');
    if (state === 'gone') return { done: 'The chat went on in another session, where it is carried out.' };
    say(state === 'claimed' ? 'The worker is at it …' : 'Waiting for the worker …');
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
