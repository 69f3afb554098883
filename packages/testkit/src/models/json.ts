/** Reading untrusted JSON without casts that lie. */
export type Json = Record<string, unknown>;

/** Is the value a JSON object (neither null nor a list)? */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list, or an empty one when the value is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list, others left out. */
export function objectsOf(value: unknown): readonly Json[] {
  return listOf(value).filter(isJson);
}

/** The string, or an empty one when the value is something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The parsed JSON, or undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The first field that is not in the list of known ones. */
export function unknownField(object: Json, known: ReadonlySet<string>): string | undefined {
  return Object.keys(object).find((name) => !known.has(name));
}
