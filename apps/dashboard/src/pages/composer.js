import { html } from 'htm/preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const keys = 'Enter sends, Shift+Enter breaks the line, ↑ edits your last message';
const draftKey = 'palimpsest.draft';

/**
 * Where one types. Enter sends, Shift+Enter breaks the line (on touch screens Enter breaks it); arrow up in an empty field
 * edits the last message, Escape gives up editing. A draft outlives a reload of its tab.
 */
export function Composer({ editing, onSend, onEditLast, onCancel, offered, model }) {
  const field = useRef(null);
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? '');
  const touch = matchMedia('(pointer: coarse)').matches;

  const put = (value) => {
    setText(value);
    if (!editing) sessionStorage.setItem(draftKey, value);
  };
  useLayoutEffect(() => {
    put(editing ? editing.text : (sessionStorage.getItem(draftKey) ?? ''));
    if (editing || !touch) field.current.focus();
  }, [editing?.itemId]);
  useLayoutEffect(() => {
    if (!offered) return;
    put(offered.text);
    field.current.focus();
  }, [offered]);

  const submit = (event) => {
    event?.preventDefault();
    if (text.trim() === '') return;
    onSend(text);
    put('');
    field.current.focus();
  };
  const onKey = (event) => {
    // While an input method composes a character, Enter belongs to it.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !touch) submit(event);
    else if (event.key === 'ArrowUp' && text === '' && !editing && onEditLast()) event.preventDefault();
    else if (event.key === 'Escape' && editing) onCancel();
  };

  return html`<section class="composer" aria-label="Write">
    <form onSubmit=${submit}>
      ${
        editing &&
        html`<div class="editing">
          <span>Editing your last message</span>
          <button class="link" type="button" onClick=${onCancel}>Cancel</button>
        </div>`
      }
      <label class="unseen" for="text">Message</label>
      <textarea
        id="text"
        ref=${field}
        rows="1"
        value=${text}
        placeholder="Write a message"
        enterkeyhint=${touch ? 'enter' : 'send'}
        autocomplete="off"
        onInput=${(event) => put(event.target.value)}
        onKeyDown=${onKey}
      ></textarea>
      <button class="main" type="submit" disabled=${text.trim() === ''}>${editing ? 'Save' : 'Send'}</button>
    </form>
    <p class="hint">${`Model ${model}`}<span class="keys">${` · ${keys}`}</span></p>
  </section>`;
}
