import { html, render } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { getJson, signIn } from './api.js';
import { describeEvent, eventKinds } from './event-words.js';
import { ago, exactly, shortId } from './format.js';
import { openLive } from './live.js';
import { OperatorActions } from './operator-actions.js';
import { PageHead } from './page-head.js';

/** What came is kept up to here; older ones are read on demand. */
const mostKept = 500;

function EventsPage() {
  const [type, setType] = useState('');
  const { events, next, live, problem, more, news } = useEvents(type);
  return html`<main>
    <${PageHead} title="Events" live=${live}>
      <label class="select">
        <span class="unseen">Which events</span>
        <select value=${type} onChange=${(event) => setType(event.currentTarget.value)}>
          <option value="">All events</option>
          ${Object.entries(eventKinds).map(([name, { words }]) => html`<option key=${name} value=${name}>${words}</option>`)}
        </select>
      </label>
    <//>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    <section aria-labelledby="happened">
      <div class="title">
        <h2 id="happened">What happened</h2>
        <a href="#operators">What operators did</a>
      </div>
      <p class="unseen" role="status">${news > 0 ? `${news} new since you came` : ''}</p>
      ${
        events.length === 0
          ? html`<p class="minor">Nothing happened yet.</p>`
          : html`<ol class="lines stream">
              ${events.map((event) => html`<${Event} key=${event.id} entry=${event} />`)}
            </ol>`
      }
      ${next !== null && html`<p><button type="button" onClick=${more}>Read further</button></p>`}
    </section>
    <${OperatorActions} title="What operators did" tick=${news} />
  </main>`;
}

function Event({ entry }) {
  const { words, tone } = eventKinds[entry.event.type] ?? { words: entry.event.type, tone: '' };
  return html`<li>
    <time datetime=${entry.at} title=${exactly(entry.at)}>${ago(entry.at)}</time>
    <span class=${`chip ${tone}`}>${words}</span>
    <span>${describeEvent(entry.event)}</span>
    <a href=${`/sessions/${entry.sessionId}`} aria-label=${`Session ${entry.sessionId}`}
      >${shortId(entry.sessionId)}</a
    >
  </li>`;
}

/** The newest stored ones, then every one that comes: the stream begins where the first reading ended. */
function useEvents(type) {
  const [state, setState] = useState({ events: [], next: null, problem: '', live: false, news: 0 });
  const wanted = useRef(type);
  wanted.current = type;
  const streaming = useRef(false);
  const path = `/api/events/recent?limit=50${type && `&type=${encodeURIComponent(type)}`}`;
  const read = async (before) => {
    try {
      const page = await getJson(before === null ? path : `${path}&before=${before}`);
      if (wanted.current !== type) return;
      setState((old) => ({
        ...old,
        events: before === null ? withNewer(page.events, old.events, type) : [...old.events, ...page.events],
        next: page.next,
        problem: '',
      }));
      if (!streaming.current) stream(page.events[0]?.id ?? 0);
    } catch (error) {
      if (error.status === 401) signIn();
      setState((old) => ({ ...old, problem: error.message }));
    }
  };
  const stream = (after) => {
    streaming.current = true;
    const onEvent = (entry) => {
      if (wanted.current && entry.event.type !== wanted.current) return;
      setState((old) => {
        if (old.events.some(({ id }) => id === entry.id)) return old;
        return { ...old, news: old.news + 1, events: [entry, ...old.events].slice(0, mostKept) };
      });
    };
    openLive('/api/events/stream', {
      after,
      handlers: { event: onEvent },
      onState: (name) => setState((old) => ({ ...old, live: name === 'live' })),
    });
  };
  useEffect(() => void read(null), [path]);
  return { ...state, more: () => read(state.next) };
}

/** What came by the stream while a list was read stays on top of it. */
function withNewer(read, shown, type) {
  const newest = read[0]?.id ?? 0;
  const newer = shown.filter(({ id, event }) => id > newest && (type === '' || event.type === type));
  return [...newer, ...read];
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${EventsPage} />`, root);
