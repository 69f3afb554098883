import { useEffect, useRef, useState } from 'preact/hooks';
import { getJson, signIn } from './api.js';

const nothing = { items: [], next: null, total: null, read: false, problem: '' };
/** A list that was read further than this is not read anew by itself. */
const mostRefreshed = 1_000;

/**
 * A list of the API, read page by page.
 *
 * path    of the list, with what it is asked beside its place
 * list    name of the list in the answer
 * cursor  name of the parameter that says where to go on
 * tick    rises when something changed: what is shown is read anew
 * open    false: not needed yet
 * returns `{ items, next, total, read, problem, more }`; `next` null: that is all
 */
export function usePaged(path, { list, cursor = 'after', tick = 0, open = true }) {
  const [state, setState] = useState(nothing);
  const newest = useRef(0);
  const shown = useRef({ path, count: 0 });
  if (shown.current.path !== path) shown.current = { path, count: 0 };

  const read = async (from, least) => {
    const run = ++newest.current;
    try {
      const found = await readPages({ path, list, cursor, from, least });
      if (run !== newest.current) return;
      setState((old) => {
        const items = from === null ? found.items : [...old.items, ...found.items];
        shown.current.count = items.length;
        return { ...found, items, read: true, problem: '' };
      });
    } catch (error) {
      if (error.status === 401) signIn();
      if (run === newest.current) setState((old) => ({ ...old, problem: error.message }));
    }
  };
  useEffect(() => {
    if (open && shown.current.count <= mostRefreshed) void read(null, shown.current.count);
  }, [path, tick, open]);
  return { ...state, more: () => read(state.next, 1) };
}

async function readPages({ path, list, cursor, from, least }) {
  const items = [];
  let next = from;
  let total = null;
  do {
    const place = next === null ? '' : `${path.includes('?') ? '&' : '?'}${cursor}=${next}`;
    const page = await getJson(`${path}${place}`);
    items.push(...page[list]);
    next = page.next;
    total = page.total ?? null;
  } while (next !== null && items.length < least);
  return { items, next, total };
}
