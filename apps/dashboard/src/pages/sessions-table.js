import { html } from 'htm/preact';
import { ContextMeter } from './context-meter.js';
import { ago, exactly, number } from './format.js';
import { dollars } from './words.js';

const platforms = { telegram: 'Telegram', discord: 'Discord', local: 'Local chat' };

export function sessionName(session) {
  const named = session.title ?? session.chatTitle;
  if (named) return named;
  // Local chats have no other name than the one in their address.
  const rest = session.platform === 'local' ? session.chatId : session.chatKind;
  return `${platformName(session.platform)} ${rest}`;
}

export function platformName(platform) {
  return platforms[platform] ?? platform;
}

/** Platform and kind of chat; of a local chat its id, also where the session has a title. */
export function whereabouts(session) {
  return `${platformName(session.platform)} · ${session.platform === 'local' ? session.chatId : session.chatKind}`;
}

/** Sessions with their context use and cost, in the order given. */
export function SessionsTable({ sessions }) {
  if (sessions.length === 0) {
    return html`<div class="sheet">
      <p class="empty">
        Nobody has written yet. <a href="/chat">Open the chat</a> and say hello; it appears here at once.
      </p>
    </div>`;
  }
  return html`<div class="sheet">
    <table>
      <thead>
        <tr>
          <th scope="col">Session</th>
          <th scope="col">Context in use</th>
          <th scope="col" class="number">Cost</th>
          <th scope="col" class="number">Rows</th>
          <th scope="col" class="number">Compactions</th>
          <th scope="col" class="number">Pending</th>
          <th scope="col">Last activity</th>
        </tr>
      </thead>
      <tbody>
        ${sessions.map((session) => html`<${SessionRow} key=${session.id} session=${session} />`)}
      </tbody>
    </table>
  </div>`;
}

function SessionRow({ session }) {
  return html`<tr>
    <td class="whole">
      <a class="name" href=${`/sessions/${session.id}`}>${sessionName(session)}</a>
      ${session.endedAt && html` <span class="chip" title=${exactly(session.endedAt)}>ended</span>`}
      <small>${whereabouts(session)} · ${session.engine}</small>
      <small><code>${session.id}</code></small>
    </td>
    <td class="context whole"><${ContextMeter} session=${session} /></td>
    <td class="number" data-name="Cost">${session.dollars === 0 ? '–' : dollars(session.dollars)}</td>
    <td class="number" data-name="Rows">
      ${number(session.liveRows)}<small>${number(session.archivedRows)} archived</small>
    </td>
    <td class="number" data-name="Compactions">${number(session.compactions)}</td>
    <td class="number" data-name="Pending">${number(session.pending)}</td>
    <td class="double late" data-name="Last activity">
      ${session.running ? html`<span class="chip good">answering</span>` : html`<time title=${exactly(session.lastActivityAt)}>${ago(session.lastActivityAt)}</time>`}
    </td>
  </tr>`;
}
