import { html, render } from 'htm/preact';
import { useRef } from 'preact/hooks';
import { getJson } from './api.js';
import { CompactionTable } from './compaction-table.js';
import { ContextMeter } from './context-meter.js';
import { exactly, number } from './format.js';
import { countUnder, toSheets } from './palimpsest-rows.js';
import { sessionName, whereabouts } from './sessions-table.js';
import { useLive } from './use-live.js';

/** Rows read before a button asks for more. */
const rowsAtFirst = 3_000;

async function readRows(path, most) {
  const rows = [];
  let next = 0;
  while (next !== null && rows.length < most) {
    const page = await getJson(`${path}/rows?limit=1000&after=${next}`);
    rows.push(...page.rows);
    next = page.next;
  }
  return { rows, more: next !== null };
}

function SessionPage({ sessionId }) {
  const path = `/api/sessions/${encodeURIComponent(sessionId)}`;
  const most = useRef(rowsAtFirst);
  const { data, problem, refresh } = useLive(
    `/api/events?session=${encodeURIComponent(sessionId)}`,
    async () => {
      const [head, body] = await Promise.all([getJson(path), readRows(path, most.current)]);
      return { ...head, ...body };
    },
  );
  const readMore = () => {
    most.current += rowsAtFirst;
    void refresh();
  };
  return html`<main>
    <p class="minor"><a href="/sessions">All sessions</a></p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data ? html`<${Content} data=${data} onMore=${readMore} />` : !problem && html`<p class="empty">Reading …</p>`}
  </main>`;
}

function Content({ data, onMore }) {
  const { session } = data;
  const facts = [
    whereabouts(session),
    `engine ${session.engine}`,
    session.model,
    `${number(session.liveRows)} live rows, ${number(session.archivedRows)} archived`,
  ].filter(Boolean);
  return html`<header>
      <h1>
        ${sessionName(session)}
        ${session.endedAt && html`<span class="chip" title=${exactly(session.endedAt)}>ended</span>`}
      </h1>
      <p class="minor">${facts.join(' · ')} · <code>${session.id}</code></p>
      <${ContextMeter} session=${session} />
    </header>
    <section aria-labelledby="ledger">
      <h2 id="ledger">Compactions</h2>
      <${CompactionTable} rows=${data.compactions} withSession=${false} />
    </section>
    <section aria-labelledby="rows">
      <h2 id="rows">The page as the model reads it</h2>
      <ol class="sheets">
        ${toSheets(data.rows).map((sheet) => html`<${Sheet} key=${sheet.row?.id ?? `ground-${sheet.under[0].row.id}`} sheet=${sheet} />`)}
      </ol>
      ${data.rows.length === 0 && html`<p class="empty">No rows yet.</p>`}
      ${data.more && html`<p><button type="button" onClick=${onMore}>Read further</button></p>`}
    </section>`;
}

function Sheet({ sheet }) {
  const { row } = sheet;
  const count = countUnder(sheet);
  const under =
    count > 0 &&
    html`<details class="under-text">
      <summary>${count === 1 ? '1 older row' : `${number(count)} older rows`} underneath</summary>
      <ol class="sheets">
        ${sheet.under.map((one) => html`<${Sheet} key=${one.row.id} sheet=${one} />`)}
      </ol>
    </details>`;
  if (!row)
    return html`<li class="ground">
      <span class="minor">Out of the prompt, still searchable</span>${under}
    </li>`;
  return html`<li class=${`row ${row.kind} ${row.state} ${row.calls.length > 0 ? 'calls' : ''}`}>
    <div class="who">
      <strong>${row.sender ?? (row.kind === 'summary' ? 'summary' : row.role)}</strong>
      <span>${row.state === 'live' ? '' : `${row.state} · `}${number(row.tokens)} tokens</span>
      <time datetime=${row.sentAt}>${exactly(row.sentAt)}</time>
      ${row.archivedBy !== null && html`<span>by compaction ${row.archivedBy}</span>`}
    </div>
    ${row.text && html`<div class="text">${row.text}${row.cut > 0 ? ` … (${number(row.cut)} more characters)` : ''}</div>`}
    ${row.calls.length > 0 && html`<div class="minor">calls ${row.calls.join(', ')}</div>`} ${under}
  </li>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${SessionPage} sessionId=${root.dataset.session} />`, root);
