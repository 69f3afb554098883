import { useEffect, useState } from 'preact/hooks';
import { getJson, signIn } from './api.js';
import { openLive } from './live.js';

/**
 * Answers of the API that stay true: read at once, and from then on told by the stream whenever one changes.
 *
 * paths  the same at every call
 * returns `{ answers, live, problem }`; `answers` by path, null until all are there
 */
export function useAnswers(paths) {
  const [state, setState] = useState({ told: {}, live: false, problem: '' });
  useEffect(() => {
    for (const path of paths) void readFirst(path, setState);
    openLive(`/api/live?${paths.map((path) => `read=${encodeURIComponent(path)}`).join('&')}`, {
      handlers: {
        answers: (changed) => setState((old) => ({ ...old, told: { ...old.told, ...changed }, problem: '' })),
        problem: ({ error }) => setState((old) => ({ ...old, problem: error.message })),
      },
      onState(name) {
        setState((old) => ({ ...old, live: name === 'live' }));
        // A browser does not say why a stream ended; what is asked for is told that the sign-in has.
        if (name === 'lost') void readFirst(paths[0], setState);
      },
    });
  }, []);
  const { told, live, problem } = state;
  return { answers: paths.every((path) => path in told) ? told : null, live, problem };
}

/** What the stream has told meanwhile is newer. */
async function readFirst(path, setState) {
  try {
    const answer = await getJson(path);
    setState((old) => ({ ...old, told: { [path]: answer, ...old.told } }));
  } catch (error) {
    if (error.status === 401) signIn();
    setState((old) => ({ ...old, problem: error.message }));
  }
}
