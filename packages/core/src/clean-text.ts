/**
 * Make a text storable in Postgres `text` and `jsonb`: NUL goes away, a lone surrogate becomes U+FFFD.
 * Runs before hashing and storing, so that a hash and its row agree.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed;
}

/** `cleanText` on every string inside a JSON-like value; object keys included. */
export function cleanDeep<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => cleanDeep(item)) as T;
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).map(([key, item]) => [cleanText(key), cleanDeep(item)]);
    return Object.fromEntries(entries) as T;
  }
  return value;
}
