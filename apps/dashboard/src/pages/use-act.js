import { html } from 'htm/preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { signIn } from './api.js';

/**
 * Something that an operator does: one at a time, and what came of it in words.
 * returns `{ busy, said, problem, run }`; `run` takes what is to be done, whose answer's `done` is told
 */
export function useAct() {
  const [state, setState] = useState({ busy: false, said: '', problem: '' });
  const run = async (doing) => {
    setState({ busy: true, said: '', problem: '' });
    try {
      const answer = await doing((words) => setState({ busy: true, said: words, problem: '' }));
      setState({ busy: false, said: answer?.done ?? '', problem: '' });
    } catch (error) {
      if (error.status === 401) signIn();
      setState({ busy: false, said: '', problem: error.message });
    }
  };
  return { ...state, run };
}

/** Read out by a screen reader as it changes. */
export function ActEnd({ act }) {
  return html`<div class="act-end" role="status">
    ${act.said && html`<p class="said">${act.said}</p>`}
    ${act.problem && html`<p class="problem">${act.problem}</p>`}
  </div>`;
}

/** A button that asks once more before it does what cannot be taken back; the focus goes to the question and comes back. */
export function SureButton({ words, sure, disabled, onSure }) {
  const [asked, setAsked] = useState(false);
  const wasAsked = useRef(false);
  const button = useCallback((element) => {
    if (!element || !wasAsked.current) return;
    wasAsked.current = false;
    element.focus();
  }, []);
  if (!asked)
    return html`<button type="button" disabled=${disabled} ref=${button} onClick=${() => setAsked(true)}>
      ${words}
    </button>`;
  wasAsked.current = true;
  const end = (then) => () => {
    setAsked(false);
    then?.();
  };
  return html`<span
    class="sure"
    role="group"
    aria-label=${words}
    onKeyDown=${(event) => event.key === 'Escape' && end()()}
  >
    <button type="button" class="danger" disabled=${disabled} ref=${focus} onClick=${end(onSure)}>
      ${sure}
    </button>
    <button type="button" class="quiet" onClick=${end()}>No</button>
  </span>`;
}

/** One function for all questions, so that a new picture of the page does not take the focus again. */
function focus(element) {
  element?.focus();
}
