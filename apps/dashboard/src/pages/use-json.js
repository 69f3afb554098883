import { useEffect, useState } from 'preact/hooks';
import { getJson, signIn } from './api.js';

/** An answer of the API, read anew when `tick` changes. returns `{ data, problem }`; `data` null until the first answer */
export function useJson(path, tick = 0) {
  const [state, setState] = useState({ data: null, problem: '' });
  useEffect(() => {
    let isWanted = true;
    getJson(path).then(
      (data) => isWanted && setState({ data, problem: '' }),
      (error) => {
        if (error.status === 401) signIn();
        if (isWanted) setState((old) => ({ ...old, problem: error.message }));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [path, tick]);
  return state;
}
