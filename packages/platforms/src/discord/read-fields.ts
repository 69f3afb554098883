/** Reading fields of a decoded frame that may hold anything. */

/** A decoded JSON object; every field has to be looked at before use. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field that is missing or has the wrong type; the message names the field and never shows its value. */
export class FieldProblem extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function optionalFields(from: Fields, name: string): Fields | undefined {
  const value = from[name];
  return isFields(value) ? value : undefined;
}

export function optionalText(from: Fields, name: string): string | undefined {
  const value = from[name];
  return typeof value === 'string' ? value : undefined;
}

/** Throws FieldProblem. */
export function requiredText(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value === 'string') return value;
  throw new FieldProblem(`field ${name} is ${wordFor(value)}, not a text`);
}

/** Throws FieldProblem. */
export function requiredFields(from: Fields, name: string): Fields {
  const value = from[name];
  if (isFields(value)) return value;
  throw new FieldProblem(`field ${name} is ${wordFor(value)}, not an object`);
}

/** An ISO time. Throws FieldProblem. */
export function requiredTime(from: Fields, name: string): Date {
  const time = new Date(requiredText(from, name));
  if (!Number.isNaN(time.getTime())) return time;
  throw new FieldProblem(`field ${name} is not a time`);
}

/** The objects of a list field; anything else in it is left out. */
export function listOfFields(from: Fields, name: string): readonly Fields[] {
  const value = from[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function wordFor(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
