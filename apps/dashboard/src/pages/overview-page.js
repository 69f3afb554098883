import { html, render } from 'htm/preact';
import { Chart } from './chart.js';
import { CompactionTable } from './compaction-table.js';
import { Denied } from './denied.js';
import { duration, number } from './format.js';
import { Figure, PageHead } from './page-head.js';
import { SessionsTable } from './sessions-table.js';
import { useAnswers } from './use-answers.js';
import { plural } from './words.js';

const sessionsShown = 6;
const compactionsShown = 8;

const overviewPath = '/api/overview';
const sessionsPath = `/api/sessions?limit=${sessionsShown}`;
const compactionsPath = `/api/compactions?limit=${compactionsShown}`;
const paths = [overviewPath, sessionsPath, compactionsPath];

function OverviewPage() {
  const { answers, live, problem } = useAnswers(paths);
  return html`<main>
    <${PageHead} title="Overview" live=${live && !problem} />
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${answers ? html`<${Content} answers=${answers} />` : !problem && html`<p class="empty">Reading …</p>`}
  </main>`;
}

function Content({ answers }) {
  const overview = answers[overviewPath];
  const { sessions } = answers[sessionsPath];
  const { compactions } = answers[compactionsPath];
  return html`<${Figures} overview=${overview} />
    <${Lately} minutes=${overview.activity.minutes} />
    <section aria-label="List of sessions">
      <div class="title">
        <h2>Active lately</h2>
        ${sessions.length > 0 && html`<a href="/sessions">All sessions</a>`}
      </div>
      <${SessionsTable} sessions=${sessions} />
    </section>
    <section aria-labelledby="compactions">
      <div class="title">
        <h2 id="compactions">Newest compactions</h2>
        <a href="/compaction">What they cost and save</a>
      </div>
      <${CompactionTable} rows=${compactions} withSession=${true} />
    </section>
    ${overview.denied.length > 0 && html`<${Denied} entries=${overview.denied} />`}`;
}

function Figures({ overview }) {
  const { figures, model, queue, activity } = overview;
  const { day, minutes } = activity;
  // The minute that runs is not over: the one before it is what is counted.
  const last = minutes.at(-2) ?? { messages: 0, turns: 0 };
  const waits =
    figures.mailboxPending > 0
      ? `oldest ${duration(figures.oldestPendingSeconds * 1_000)}`
      : 'messages waiting';
  const stuck = figures.outboxUnknown + figures.outboxDead;
  const errors = day.failedTurns + day.failedReplies + day.failedCompactions;
  const where = `window ${number(model.windowTokens)} tokens · queue on ${queue.backend}${queue.counts ? '' : ', not reachable'}`;
  return html`<ul class="figures" aria-label="Now">
    <${Figure} value=${perSecond(last.messages)} words="messages/s" title="Of the last whole minute" />
    <${Figure} value=${number(last.turns)} words="turns in a minute" />
    <${Figure} value=${number(figures.turnsRunning)} words="answering now" />
    <${Figure}
      value=${number(figures.mailboxPending)}
      words=${waits}
      tone=${figures.oldestPendingSeconds > 120 ? 'trouble' : ''}
    />
    <${Figure}
      value=${number(figures.outboxPending)}
      words=${figures.outboxPending === 1 ? 'reply going out' : 'replies going out'}
    />
    <${Figure}
      value=${number(stuck)}
      words=${stuck === 1 ? 'unknown or dead reply' : 'unknown or dead replies'}
      tone=${stuck > 0 ? 'trouble' : ''}
      href="/deliveries"
    />
    <${Figure} value=${number(errors)} words=${errorWords(day)} tone=${errors > 0 ? 'trouble' : ''} />
    <${Figure}
      value=${number(figures.sessions)}
      words=${figures.sessions === 1 ? 'open session' : 'open sessions'}
      href="/sessions"
    />
    <${Figure} value=${model.label} words=${where} tone="wide" />
  </ul>`;
}

/** Which they are, so that nobody has to look for them on three pages. */
function errorWords({ failedTurns, failedReplies, failedCompactions }) {
  const kinds = [
    failedTurns > 0 && plural(failedTurns, 'turn'),
    failedReplies > 0 && plural(failedReplies, 'reply', 'replies'),
    failedCompactions > 0 && plural(failedCompactions, 'compaction'),
  ].filter(Boolean);
  return kinds.length === 0 ? 'errors in 24 h' : `errors in 24 h: ${kinds.join(', ')}`;
}

function perSecond(perMinute) {
  const value = perMinute / 60;
  return value >= 10 || perMinute === 0 ? number(value) : value.toFixed(value < 1 ? 2 : 1);
}

function Lately({ minutes }) {
  const sum = (key) => minutes.reduce((all, minute) => all + minute[key], 0);
  const label = `Last half hour: ${plural(sum('messages'), 'message')}, ${plural(sum('turns'), 'turn')}, ${number(sum('failures'))} failed.`;
  const values = (key) => minutes.map((minute) => minute[key]);
  // A minute without a failure is no point.
  const failures = values('failures').map((value) => value || null);
  return html`<section aria-labelledby="lately">
    <h2 id="lately">Last half hour, by the minute</h2>
    <${Chart}
      label=${label}
      at=${minutes.map(({ at }) => at)}
      words=${number}
      series=${[
        { name: 'messages', tone: 'cool', kind: 'bars', values: values('messages') },
        { name: 'turns', tone: 'accent', kind: 'line', values: values('turns') },
        { name: 'failed turns', tone: 'bad', kind: 'points', values: failures },
      ]}
    />
  </section>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${OverviewPage} />`, root);
