import { html, render } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { isOperator } from './api.js';
import { More } from './more.js';
import { Choice, PageHead } from './page-head.js';
import { SessionsTable } from './sessions-table.js';
import { usePaged } from './use-paged.js';
import { useTick } from './use-tick.js';

const orders = [
  ['activity', 'Last activity'],
  ['context', 'Context use'],
  ['cost', 'Cost'],
];
/** Whoever types is not asked for at every letter. */
const typingMs = 250;

/** Search and order stand in the address, so that a list can be sent on and gone back to. */
function readAddress() {
  const asked = new URLSearchParams(location.search);
  const order = orders.some(([one]) => one === asked.get('order')) ? asked.get('order') : 'activity';
  return { order, search: asked.get('search') ?? '' };
}

function SessionsPage() {
  const { tick, live } = useTick('/api/events');
  const [wish, setWish] = useState(readAddress);
  const [typed, setTyped] = useState(wish.search);
  useEffect(() => {
    const late = setTimeout(() => setWish((old) => ({ ...old, search: typed.trim() })), typingMs);
    return () => clearTimeout(late);
  }, [typed]);
  const query = new URLSearchParams({ order: wish.order, ...(wish.search && { search: wish.search }) });
  useEffect(() => history.replaceState(null, '', `?${query}`), [String(query)]);
  const paged = usePaged(`/api/sessions?limit=50&${query}`, { list: 'sessions', cursor: 'offset', tick });
  return html`<main>
    <${PageHead} title="Sessions" live=${live} />
    <form class="find" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label>
        <span class="unseen">Search</span>
        <input
          type="search"
          placeholder=${isOperator() ? 'Title, chat or id' : 'Chat or id'}
          value=${typed}
          onInput=${(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <${Choice}
        label="Order"
        options=${orders}
        value=${wish.order}
        onChoose=${(order) => setWish((old) => ({ ...old, order }))}
      />
    </form>
    <section aria-label="List of sessions">
      ${
        (paged.items.length > 0 || (paged.read && wish.search === '')) &&
        html`<${SessionsTable} sessions=${paged.items} />`
      }
      <${More}
        paged=${paged}
        empty=${wish.search === '' ? '' : `No session is called, or in a chat called, ${wish.search}.`}
      />
    </section>
  </main>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${SessionsPage} />`, root);
