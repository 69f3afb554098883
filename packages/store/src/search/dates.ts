/**
 * Days and months that a text names → lexemes of the index. "last Friday" is reckoned from the moment the text was said,
 * in a query from now; so "what happened on 5 May" finds a line of the 6th that says "yesterday".
 */

/** One day (`2026-05-08`) or one month (`2026-05`). */
export type NamedDate = string;

const dayMs = 86_400_000;
const monthNames =
  'january february march april may june july august september october november december'.split(' ');
const dayNames = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const numberWords = ['a', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const year = '((?:19|20)\\d\\d)';
const day = '(\\d{1,2})(?:st|nd|rd|th)?';
const weekday = `(${dayNames.join('|')})`;

/** Longest first: what one took, none after it reads. */
const readers: readonly [pattern: RegExp, read: (match: RegExpExecArray, said: Date) => NamedDate | null][] =
  [
    [/\b((?:19|20)\d\d)-(\d\d)-(\d\d)/g, (m) => dayOf(Number(m[1]), Number(m[2]) - 1, Number(m[3]))],
    [
      /\b(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)\b/g,
      (m) => dayOf(Number(m[3]), Number(m[2]) - 1, Number(m[1])),
    ],
    [pattern(`${day}(?: of)? ${month},? ${year}`), (m) => dayOf(Number(m[3]), monthAt(m[2]), Number(m[1]))],
    [pattern(`${month} ${day},? ${year}`), (m) => dayOf(Number(m[3]), monthAt(m[1]), Number(m[2]))],
    [pattern(`${month},?(?: of)? ${year}`), (m) => monthOf(Number(m[2]), monthAt(m[1]))],
    [pattern(`${day}(?: of)? ${month}`), (m, said) => lastDay(said, monthAt(m[2]), Number(m[1]))],
    [pattern(`${month} ${day}`), (m, said) => lastDay(said, monthAt(m[1]), Number(m[2]))],
    [pattern(`(?:last|this|in|since|during) ${month}`), (m, said) => lastMonth(said, monthAt(m[1]))],
    [pattern(`last ${weekday}`), (m, said) => lastWeekday(said, dayNames.indexOf(m[1] ?? ''))],
    [/\bthe day before yesterday\b/g, (_, said) => daysBefore(said, 2)],
    [/\b(?:yesterday|last night)\b/g, (_, said) => daysBefore(said, 1)],
    [/\btoday\b/g, (_, said) => daysBefore(said, 0)],
    [pattern(`(\\d{1,3}|${numberWords.join('|')}) days? ago`), (m, said) => daysBefore(said, count(m[1]))],
    [
      pattern(`(\\d{1,2}|${numberWords.join('|')}) weeks? ago`),
      (m, said) => daysBefore(said, 7 * count(m[1])),
    ],
    [
      pattern(`(\\d{1,2}|${numberWords.join('|')}) months? ago`),
      (m, said) => monthsBefore(said, count(m[1])),
    ],
    [/\blast month\b/g, (_, said) => monthsBefore(said, 1)],
  ];

/** Nothing a reader reads is without one of these; most texts have none, and looking once is quicker than sixteen times. */
const hint = new RegExp(`\\b(?:19|20)\\d\\d\\b|\\b${month}\\b|\\b(?:ago|last|yesterday|today)\\b`, 'i');

/** The dates a text names, each once; reckoned in UTC. */
export function datesIn(text: string, said: Date): readonly NamedDate[] {
  if (!hint.test(text)) return [];
  let rest = text.toLowerCase();
  const found = new Set<NamedDate>();
  for (const [expression, read] of readers)
    rest = rest.replace(expression, (...parts) => {
      const date = read(parts as unknown as RegExpExecArray, said);
      if (date !== null) found.add(date);
      return ' ';
    });
  return [...found];
}

/** The day of a moment. */
export function dayAt(moment: Date): NamedDate {
  return moment.toISOString().slice(0, 10);
}

/** The day `days` later; null for a month. */
export function dayAfter(date: NamedDate, days: number): NamedDate | null {
  return date.length === 10 ? dayAt(new Date(Date.parse(date) + days * dayMs)) : null;
}

function pattern(text: string): RegExp {
  return new RegExp(`\\b${text}\\b`, 'g');
}

function monthAt(name = ''): number {
  return monthNames.findIndex((full) => full.startsWith(name.slice(0, 3)));
}

function count(text = ''): number {
  const word = numberWords.indexOf(text);
  return word === -1 ? Number(text) : word + 1;
}

/** null where the month has no such day. */
function dayOf(fullYear: number, monthIndex: number, dayOfMonth: number): NamedDate | null {
  const moment = new Date(Date.UTC(fullYear, monthIndex, dayOfMonth));
  return moment.getUTCMonth() === monthIndex && moment.getUTCDate() === dayOfMonth ? dayAt(moment) : null;
}

function monthOf(fullYear: number, monthIndex: number): NamedDate {
  return `${fullYear}-${String(monthIndex + 1).padStart(2, '0')}`;
}

/** People who name no year speak of the nearest one that has passed. */
function lastDay(said: Date, monthIndex: number, dayOfMonth: number): NamedDate | null {
  const own = dayOf(said.getUTCFullYear(), monthIndex, dayOfMonth);
  return own !== null && own > dayAt(said) ? dayOf(said.getUTCFullYear() - 1, monthIndex, dayOfMonth) : own;
}

function lastMonth(said: Date, monthIndex: number): NamedDate {
  return monthOf(said.getUTCFullYear() - (monthIndex > said.getUTCMonth() ? 1 : 0), monthIndex);
}

function lastWeekday(said: Date, index: number): NamedDate {
  return daysBefore(said, ((said.getUTCDay() - index + 6) % 7) + 1);
}

function daysBefore(said: Date, days: number): NamedDate {
  return dayAt(new Date(said.getTime() - days * dayMs));
}

function monthsBefore(said: Date, months: number): NamedDate {
  return new Date(Date.UTC(said.getUTCFullYear(), said.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}
