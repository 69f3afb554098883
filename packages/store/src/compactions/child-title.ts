/** Titles of sessions that follow each other by rotation. No I/O. */

/** `name` → `name #2` → `name #3`; without a name the number alone. */
export function childTitle(title: string | null): string {
  const [, name = '', number = '1'] = /^(.*?)(?:(?:^|\s)#(\d{1,9}))?$/s.exec(title ?? '') ?? [];
  return `${name} #${Number(number) + 1}`.trim();
}
