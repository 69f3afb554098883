/** A line on a terminal's standard error that is written over as work goes on; elsewhere nothing. */
export interface Progress extends Disposable {
  /** `share` of the whole, 0 … 1, where it is known by something else than the count. */
  at(count: number, share?: number): void;
}

const leastMs = 100;

/** `words`: what is counted. `total`: how many there will be, for a share; left out: not known. */
export function showProgress(words: string, total?: number): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { at() {}, [Symbol.dispose]() {} };
  let shownAt = -Infinity;
  const shareAt = (count: number): number | undefined =>
    total === undefined ? undefined : count / Math.max(1, total);
  const show = (count: number, share: number | undefined): void => {
    const shown = share === undefined ? '' : ` ${bar(share)}`;
    stderr.write(`\r\u001B[K${count.toLocaleString('en')} ${words}${shown}`);
  };
  // At once: the first figure may take a while.
  show(0, shareAt(0));
  return {
    at(count, share = shareAt(count)) {
      const now = performance.now();
      if (now - shownAt < leastMs && share !== 1) return;
      shownAt = now;
      show(count, share);
    },
    [Symbol.dispose]() {
      stderr.write('\r\u001B[K');
    },
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * 20);
  return `${'█'.repeat(full)}${'░'.repeat(20 - full)} ${Math.floor(Math.min(1, share) * 100)} %`;
}
