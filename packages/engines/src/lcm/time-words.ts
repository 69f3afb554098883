/** `2026-11-29 19:20` in the configured zone; one formatter serves a whole engine. */
export type TimeWords = (at: Date) => string;

export function timeWords(timezone: string): TimeWords {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return (at) => format.format(at);
}
