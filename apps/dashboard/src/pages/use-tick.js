import { useRef } from 'preact/hooks';
import { useLive } from './use-live.js';

/** A number that rises whenever the service says that something changed. returns `{ tick, live }` */
export function useTick(streamPath) {
  const count = useRef(0);
  const { data, live } = useLive(streamPath, async () => ++count.current);
  return { tick: data ?? 0, live };
}
