import { html, render } from 'htm/preact';
import { useRef } from 'preact/hooks';
import { getJson, isOperator } from './api.js';
import { ContextBar } from './context-bar.js';
import { ContextMeter } from './context-meter.js';
import { DcpSection } from './dcp-section.js';
import { ago, exactly, number, percent } from './format.js';
import { LcmSection } from './lcm-section.js';
import { OperatorActions } from './operator-actions.js';
import { Palimpsest } from './palimpsest.js';
import { SessionActions } from './session-actions.js';
import { sessionName, whereabouts } from './sessions-table.js';
import { Timeline } from './timeline.js';
import { useLive } from './use-live.js';
import { dollars, plural } from './words.js';

/** What changes without the session's own figures (debts, breakers) is looked at this often. */
const stillMs = 90_000;

function SessionPage({ sessionId }) {
  const path = `/api/sessions/${encodeURIComponent(sessionId)}`;
  const last = useRef({ words: '', at: 0, data: null });
  const { data, live, problem, refresh } = useLive(
    `/api/events?session=${encodeURIComponent(sessionId)}`,
    async () => {
      const head = await getJson(path);
      const words = JSON.stringify(head);
      const { current } = last;
      // The stream also speaks when nothing happened; a long session is not read anew for that.
      if (words === current.words && Date.now() - current.at < stillMs) return current.data;
      const tick = (current.data?.tick ?? 0) + 1;
      last.current = { words, at: Date.now(), data: { ...head, context: await readContext(path), tick } };
      return last.current.data;
    },
  );
  return html`<main>
    <p class="minor way"><a href="/sessions">All sessions</a></p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data ? html`<${Content} data=${data} live=${live && !problem} path=${path} refresh=${refresh} />` : !problem && html`<p class="empty">Reading …</p>`}
  </main>`;
}

/** The rest of the page stands also where the engine's view cannot be had. */
async function readContext(path) {
  try {
    return (await getJson(`${path}/context`)).context;
  } catch (error) {
    if (error.status === 401) throw error;
    return null;
  }
}

function Content({ data, live, path, refresh }) {
  const { session, context, spending, hold, budgets, tick } = data;
  const parts = engineParts(data);
  return html`<header class="session-head">
      <div class="title">
        <h1>
          ${sessionName(session)}
          ${session.endedAt && html`<span class="chip" title=${exactly(session.endedAt)}>ended</span>`}
          ${session.running && html`<span class="chip good">answering</span>`}
        </h1>
        <span class=${`pulse ${live ? 'on' : ''}`}>${live ? 'live' : 'not connected, trying again'}</span>
      </div>
      <${Facts} session=${session} context=${context} spending=${spending} hold=${hold} budgets=${budgets} />
      ${context ? html`<${ContextBar} context=${context} />` : html`<${ContextMeter} session=${session} />`}
      <nav class="jump" aria-label="On this page">
        <a href="#timeline">Compactions</a>
        ${parts.map(({ id, words }) => html`<a href=${`#${id}`}>${words}</a>`)}
        ${isOperator() && html`<a href="#palimpsest">The text</a>`}
        <a href="#operators">Operators</a>
      </nav>
    </header>
    ${isOperator() && html`<${SessionActions} path=${path} session=${session} context=${context} refresh=${refresh} />`}
    <${Timeline} path=${path} tick=${tick} />
    ${parts.map(({ id, Section }) => html`<${Section} key=${id} path=${path} tick=${tick} />`)}
    ${
      isOperator()
        ? html`<${Palimpsest} path=${path} tick=${tick} />`
        : html`<p class="note">You are signed in as a viewer: figures are shown, what was said is not.</p>`
    }
    <${OperatorActions} title="What operators did here" session=${session.id} tick=${tick} />`;
}

/** The engine's own part; what another one left behind is in the text. */
function engineParts({ session, context }) {
  const engine = context?.engine ?? session.engine;
  if (engine === 'dcp') return [{ id: 'blocks', words: 'Blocks', Section: DcpSection }];
  if (engine === 'lcm') return [{ id: 'graph', words: 'Graph', Section: LcmSection }];
  return [];
}

function Facts({ session, context, spending, hold, budgets }) {
  const fact = (name, value) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<dl class="facts-list">
    ${fact('Where', whereabouts(session))} ${fact('Engine', context?.engine ?? session.engine)}
    ${fact('Model', context?.model ?? session.model ?? '–')}
    ${context && context.summaryModel !== context.model && fact('Summaries by', context.summaryModel)}
    ${context && fact('Window', `${number(context.windowTokens)} tokens, from: ${context.windowSource}`)}
    ${hold && fact('Held by', hold.holder ? `${hold.holder}, epoch ${hold.epoch}` : `nobody, epoch ${hold.epoch}`)}
    ${hold?.lastFailure && fact('Last error', html`${hold.lastFailure.what.replaceAll('_', ' ')}, <time title=${exactly(hold.lastFailure.at)}>${ago(hold.lastFailure.at)}</time>`)}
    ${fact('Cost', costWords(spending))} ${budgets?.length > 0 && fact('Budget', budgets.join('; '))}
    ${fact('Rows', `${number(session.liveRows)} live, ${number(session.archivedRows)} archived`)}
    ${fact('Compacted', session.compactions === 0 ? 'never' : plural(session.compactions, 'time'))}
    ${session.pending > 0 && fact('Waiting', plural(session.pending, 'message'))}
    ${fact('Last activity', html`<time title=${exactly(session.lastActivityAt)}>${ago(session.lastActivityAt)}</time>`)}
    ${fact('Id', html`<code>${session.id}</code>`)}
  </dl>`;
}

function costWords({ calls, unpricedCalls, dollars: spent, promptTokens, cacheReadTokens }) {
  if (calls === 0) return 'no model call yet';
  const cached = `${percent(cacheReadTokens, promptTokens)} % read from cache`;
  if (calls === unpricedCalls) return `price not known, ${plural(calls, 'call')}, ${cached}`;
  return `${dollars(spent)} in ${plural(calls, 'call')}${unpricedCalls > 0 ? `, ${number(unpricedCalls)} of unknown price` : ''}, ${cached}`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${SessionPage} sessionId=${root.dataset.session} />`, root);
