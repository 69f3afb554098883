/** A line on a terminal's standard error that is written over as work goes on; elsewhere nothing. */
export interface Progress extends Disposable {
  at(count: number): void;
}

const leastMs = 100;

/** `words`: what is counted. `total`: how many there will be, for a share; left out: not known. */
export function showProgress(words: string, total?: number): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { at() {}, [Symbol.dispose]() {} };
  let shownAt = -Infinity;
  const show = (count: number): void => {
    const share = total === undefined ? '' : ` ${bar(count / Math.max(1, total))}`;
    stderr.write(`\r\u001B[K${count.toLocaleString('en')} ${words}${share}`);
  };
  // At once: the first figure may take a while.
  show(0);
  return {
    at(count) {
      const now = performance.now();
      if (now - shownAt < leastMs && count !== total) return;
      shownAt = now;
      show(count);
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
