/** One stretch of time over which is counted. */
const stretchMs = 10_000;

/**
 * Counts what a server sends, so that one that floods is cut off: it costs the worker time that other people's turns need.
 *
 * atMost   this much in ten seconds, in whatever the caller counts
 * returns  a function that is told of more and answers whether it is too much
 */
export function floodGate(atMost: number, now: () => number): (amount: number) => boolean {
  let since = now();
  let seen = 0;
  return (amount) => {
    if (now() - since > stretchMs) {
      since = now();
      seen = 0;
    }
    seen += amount;
    return seen > atMost;
  };
}
