const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago or for how long, for people: `12 seconds`, `1 hour`, `3 days`. */
export function durationWords(ms: number): string {
  if (ms < minuteMs) return counted(Math.max(0, Math.floor(ms / 1_000)), 'second');
  if (ms < hourMs) return counted(Math.floor(ms / minuteMs), 'minute');
  if (ms < dayMs) return counted(Math.floor(ms / hourMs), 'hour');
  return counted(Math.floor(ms / dayMs), 'day');
}

/** `1 message`, `2,000 messages`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
