import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { isOperator } from './api.js';
import { ago, exactly } from './format.js';
import { platformName } from './sessions-table.js';
import { SureButton } from './use-act.js';
import { useJson } from './use-json.js';
import { plural } from './words.js';

/** What was given up beside replies: messages that no turn could take, events that a hook did not take. */
export function DeadLetters({ dead, act, press }) {
  return html`<section aria-labelledby="dead-messages">
      <h2 id="dead-messages">Messages that were given up</h2>
      ${dead.messages.length === 0 && html`<p class="minor">None: every message was answered or waits.</p>`}
      <ol class="cards">
        ${dead.messages.map(
          (message) =>
            html`<${Message}
              key=${`${message.sessionId}/${message.seq}`}
              message=${message}
              act=${act}
              press=${press}
            />`,
        )}
      </ol>
    </section>
    <section aria-labelledby="dead-events">
      <h2 id="dead-events">Events that a hook did not take</h2>
      ${dead.events.length === 0 && html`<p class="minor">None: every hook was told.</p>`}
      <ol class="cards">
        ${dead.events.map(
          (event) =>
            html`<${Event}
              key=${`${event.subscriber}/${event.eventId}`}
              event=${event}
              act=${act}
              press=${press}
            />`,
        )}
      </ol>
    </section>`;
}

function Message({ message, act, press }) {
  const { sessionId, seq, kind, platform, chatTitle, chatId, acceptedAt, attempts, characters } = message;
  const path = `/api/dead/messages/${sessionId}/${seq}`;
  const [open, setOpen] = useState(false);
  return html`<li class="card" aria-label=${`Message ${seq} of ${sessionId}`}>
    <div class="head">
      <strong>${kind}</strong>
      <span>${platformName(platform)} · ${chatTitle ?? chatId}</span>
      <span class="minor">
        <time datetime=${acceptedAt} title=${exactly(acceptedAt)}>${ago(acceptedAt)}</time>
        ${` · ${plural(characters, 'character')} · ${plural(attempts, 'attempt')}`}
      </span>
      <a href=${`/sessions/${sessionId}`}>Session</a>
    </div>
    ${
      isOperator() &&
      html`<details class="under-text" onToggle=${(event) => setOpen(event.currentTarget.open)}>
        <summary>Look at it</summary>
        ${open && html`<${Said} path=${path} />`}
      </details>`
    }
    <${Buttons}
      act=${act}
      again="Answer it"
      sure="Drop it: nobody will answer it"
      settle=${(wish) => press(`${path}/${wish}`)}
    />
  </li>`;
}

function Said({ path }) {
  const { data, problem } = useJson(path);
  if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
  if (!data) return html`<p class="minor">Reading …</p>`;
  return html`<div class="text" tabindex="0" role="group" aria-label="Text of the message">
    ${data.text}
  </div>`;
}

function Event({
  event: { subscriber, eventId, type, createdAt, attempts, problem, sessionId },
  act,
  press,
}) {
  const path = `/api/dead/events/${subscriber}/${eventId}`;
  return html`<li class="card" aria-label=${`Event ${eventId} for ${subscriber}`}>
    <div class="head">
      <strong>${subscriber}</strong>
      <span>${type}</span>
      <span class="minor">
        <time datetime=${createdAt} title=${exactly(createdAt)}>${ago(createdAt)}</time>
        ${` · ${plural(attempts, 'attempt')}`}
      </span>
      <a href=${`/sessions/${sessionId}`}>Session</a>
    </div>
    ${problem && html`<p>${problem}</p>`}
    <${Buttons}
      act=${act}
      again="Tell it again"
      sure="Drop it: the hook is not told"
      settle=${(wish) => press(`${path}/${wish}`)}
    />
  </li>`;
}

function Buttons({ act, again, sure, settle }) {
  if (!isOperator()) return null;
  return html`<div class="actions">
    <button type="button" class="main" disabled=${act.busy} onClick=${() => settle('retry')}>${again}</button>
    <${SureButton} words="Drop" sure=${sure} disabled=${act.busy} onSure=${() => settle('drop')} />
  </div>`;
}
