import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from './api.js';
import { openLive } from './live.js';

/**
 * Data that stays true: read at once, and again whenever the stream says that something changed.
 * returns `{ data, live, problem, refresh }`; `data` is null until the first read
 */
export function useLive(streamPath, read) {
  const [state, setState] = useState({ data: null, live: false, problem: '' });
  const reading = useRef({ now: false, again: false });
  const refresh = async () => {
    // What changes while the old state is being read must not be missed.
    reading.current.again = reading.current.now;
    if (reading.current.now) return;
    reading.current.now = true;
    try {
      const data = await read();
      setState((old) => ({ ...old, data, problem: '' }));
    } catch (error) {
      if (error.status === 401) signIn();
      setState((old) => ({ ...old, problem: error.message }));
    } finally {
      reading.current.now = false;
    }
    if (reading.current.again) await refresh();
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
