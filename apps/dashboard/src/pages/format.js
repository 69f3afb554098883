/** How numbers and times are written on every page. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function number(value) {
  return whole.format(value);
}

export function timeOf(date) {
  return clock.format(new Date(date));
}

export function dayOf(date) {
  return day.format(new Date(date));
}

export function exactly(date) {
  return full.format(new Date(date));
}

/** 1.2 s, 340 ms, 3 min */
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

export function ago(date, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - new Date(date).getTime()) / 1_000));
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

export function percent(part, whole_) {
  return whole_ > 0 ? Math.round((part / whole_) * 100) : 0;
}

/** The end of an id tells sessions apart; ids made in the same hour begin alike. */
export function shortId(id) {
  return id.length > 10 ? `…${id.slice(-8)}` : id;
}
