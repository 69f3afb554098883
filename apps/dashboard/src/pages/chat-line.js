import { html } from 'htm/preact';
import { dayOf, exactly, timeOf } from './format.js';
import { richText } from './rich-text.js';

const speakers = { own: 'You', answer: 'Bot', notice: 'Notice' };

/** One line of the talk; `actions` are those the person has on it. */
export function ChatLine({ view, actions }) {
  return html`<li class=${`line ${view.kind} ${view.state}`}>
    <div class="bubble">
      <span class="unseen">${speakers[view.kind]}: </span
      >${view.kind === 'own' ? view.text : richText(view.text)}
    </div>
    <${Under} view=${view} actions=${actions} />
  </li>`;
}

function Under({ view, actions }) {
  if (view.kind === 'notice') return null;
  return html`<div class="under">
    <time datetime=${view.at} title=${exactly(view.at)}>${timeOf(view.at)}</time>
    ${view.edited && html`<span>edited; the bot reads the change with your next message</span>`}
    ${view.kind === 'own' && html`<${State} view=${view} actions=${actions} />`}
    ${actions.edit && html`<button class="link" type="button" onClick=${actions.edit}>Edit</button>`}
  </div>`;
}

function State({ view, actions }) {
  const id = view.editId ?? view.itemId;
  if (view.state === 'unsent') {
    if (view.signIn)
      return html`<span class="trouble"
        >not sent: <a href="/sign-in?next=/chat">sign in again</a>, your text is kept</span
      >`;
    return html`<span>${view.problem ? 'not sent yet, trying again' : 'sending'}</span>`;
  }
  if (view.state !== 'refused') return null;
  return html`<span class="trouble">not sent: ${view.problem}</span>
    <button class="link" type="button" onClick=${() => actions.again(id)}>Try again</button>
    <button class="link" type="button" onClick=${() => actions.discard(id)}>Remove</button>`;
}

/** The day above the first line of each day. */
export function DayMark({ at }) {
  return html`<li class="day">${dayOf(at)}</li>`;
}

/** The answer being written: not part of the log, so that a screen reader hears it once, when it is whole. */
export function Writing({ progress }) {
  const text = progress?.text ?? '';
  return html`<div class="column" aria-live="off">
    <div class="line answer writing">
      <div class="bubble">
        ${text ? richText(text) : html`<span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>`}
      </div>
      <div class="under">${progress?.note || (text ? 'writing' : 'thinking')}</div>
    </div>
  </div>`;
}
