import { html, render } from 'htm/preact';
import { getJson } from './api.js';
import { CompactionTable } from './compaction-table.js';
import { Denied } from './denied.js';
import { duration, number } from './format.js';
import { SessionsTable } from './sessions-table.js';
import { useLive } from './use-live.js';

async function readAll() {
  const [overview, sessions, ledger] = await Promise.all([
    getJson('/api/overview'),
    getJson('/api/sessions?limit=100'),
    getJson('/api/compactions?limit=30'),
  ]);
  return { overview, sessions: sessions.sessions, compactions: ledger.compactions };
}

function SessionsPage() {
  const { data, live, problem } = useLive('/api/events', readAll);
  return html`<main>
    <div class="title">
      <h1>Sessions</h1>
      <span class=${`pulse ${live && !problem ? 'on' : ''}`}
        >${live && !problem ? 'live' : 'not connected, trying again'}</span
      >
    </div>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data ? html`<${Content} data=${data} />` : !problem && html`<p class="empty">Reading …</p>`}
  </main>`;
}

function Content({ data }) {
  return html`<${Figures} overview=${data.overview} />
    <section aria-label="List of sessions"><${SessionsTable} sessions=${data.sessions} /></section>
    <section aria-labelledby="compactions">
      <h2 id="compactions">Newest compactions</h2>
      <${CompactionTable} rows=${data.compactions} withSession=${true} />
    </section>
    ${data.overview.denied.length > 0 && html`<${Denied} entries=${data.overview.denied} />`}`;
}

function Figures({ overview }) {
  const { figures, model, queue } = overview;
  const waits =
    figures.mailboxPending > 0
      ? `oldest ${duration(figures.oldestPendingSeconds * 1_000)}`
      : 'messages waiting';
  const stuck = figures.outboxUnknown + figures.outboxDead;
  const where = `window ${number(model.windowTokens)} tokens · queue on ${queue.backend}${queue.counts ? '' : ', not reachable'}`;
  return html`<ul class="figures">
    <li>
      <strong>${number(figures.sessions)}</strong
      ><span>${figures.sessions === 1 ? 'open session' : 'open sessions'}</span>
    </li>
    <li><strong>${number(figures.turnsRunning)}</strong><span>answering now</span></li>
    <li class=${figures.oldestPendingSeconds > 120 ? 'trouble' : ''}>
      <strong>${number(figures.mailboxPending)}</strong><span>${waits}</span>
    </li>
    <li>
      <strong>${number(figures.outboxPending)}</strong
      ><span>${figures.outboxPending === 1 ? 'reply going out' : 'replies going out'}</span>
    </li>
    <li class=${stuck > 0 ? 'trouble' : ''}>
      <strong>${number(stuck)}</strong
      ><span>${stuck === 1 ? 'unknown or dead reply' : 'unknown or dead replies'}</span>
    </li>
    <li class="wide"><strong>${model.label}</strong><span>${where}</span></li>
  </ul>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${SessionsPage} />`, root);
