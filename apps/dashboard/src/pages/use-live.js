import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from './api.js';
import { openLive } from './live.js';

/**
 * Data that stays true: read at once, and again whenever the stream says that something changed.
 * returns `{ data, live, problem, refresh }`; `data` is null until the first read
 */
export function useLive(streamPath, read) {
  const [state, setState] = useState({ data: null, live: false, problem: '' });
  const reading = useRef(false);
  const refresh = async () => {
    if (reading.current) return;
    reading.current = true;
    try {
      const data = await read();
      setState((old) => ({ ...old, data, problem: '' }));
    } catch (error) {
      if (error.status === 401) signIn();
      setState((old) => ({ ...old, problem: error.message }));
    } finally {
      reading.current = false;
    }
  };
  useEffect(() => {
    void refresh();
    openLive(streamPath, {
      handlers: { hello: refresh, changed: refresh, away: refresh },
      onState: (name) => setState((old) => ({ ...old, live: name === 'live' })),
    });
  }, []);
  return { ...state, refresh };
}
