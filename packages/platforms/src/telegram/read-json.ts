/** Reading JSON of unknown shape. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object, or null for anything else. */
export function objectIn(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** A text that is not empty, or null. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Telegram's ids as text; null for anything that is no id. */
export function idIn(value: unknown): string | null {
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** The objects of a list; none for anything else. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
