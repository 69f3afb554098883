import { html, render } from 'htm/preact';
import { number } from './format.js';
import { PageHead } from './page-head.js';
import { useJson } from './use-json.js';
import { useTick } from './use-tick.js';

const columns = [
  ['waiting', 'Waiting'],
  ['prioritized', 'With priority'],
  ['active', 'Running'],
  ['delayed', 'Delayed'],
  ['failed', 'Failed'],
  ['completed', 'Done lately'],
];

function QueuesPage() {
  const { tick, live } = useTick('/api/events');
  const { data, problem } = useJson('/api/queues', tick);
  return html`<main>
    <${PageHead} title="Queues" live=${live && !problem} />
    <p class="minor">
      A job is a pointer: what it points at is in the database, so an emptied queue loses nothing.
    </p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${data && html`<${Counts} queues=${data.queues} backend=${data.backend} />`}
    <p><a class="button" href="/queues/board">Look into the jobs</a></p>
  </main>`;
}

function Counts({ queues, backend }) {
  return html`<div class="sheet">
    <table>
      <caption class="unseen">
        Jobs by queue, on ${backend}
      </caption>
      <thead>
        <tr>
          <th scope="col">Queue on ${backend}</th>
          ${columns.map(([key, words]) => html`<th scope="col" class="number" key=${key}>${words}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${queues.map(
          ({ name, counts }) =>
            html`<tr key=${name}>
              <td class="whole"><span class="name">${name}</span></td>
              ${columns.map(
                ([key, words]) =>
                  html`<td class="number" data-name=${words} key=${key}>
                    ${key === 'failed' && counts[key] > 0 ? html`<span class="chip bad">${number(counts[key])}</span>` : number(counts[key] ?? 0)}
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${QueuesPage} />`, root);
