/** Begins every message of the service itself, so that a person (and a replay) can tell it from the bot's own words. */
export const noticeMark = 'ℹ️ ';

/** What the service itself says to somebody. */
export function notice(text: string): string {
  return noticeMark + text;
}
