import type { ToolResult } from '@palimpsest/core';

/** What is wrong with a call; answered as a result, never thrown past the tool. */
export class ToolProblem extends Error {}

export function refuse(message: string): ToolResult {
  return { text: message, isError: true };
}

export function answer(text: string): ToolResult {
  return { text, isError: false };
}

/** The arguments of one call, read by name. Each reader throws ToolProblem with what is allowed. */
export class ToolArguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The first of these names that is set; blanks around it are gone; undefined when none is, or nothing is in it. */
  text(...names: readonly string[]): string | undefined {
    const found = this.#find(names);
    if (!found) return undefined;
    if (typeof found.value !== 'string') throw new ToolProblem(`"${found.name}" must be a text`);
    return found.value.trim() || undefined;
  }

  boolean(name: string, otherwise: boolean): boolean {
    const value = this.#values[name] ?? otherwise;
    if (typeof value !== 'boolean') throw new ToolProblem(`"${name}" must be true or false`);
    return value;
  }

  /** A number outside of the range counts as its border. */
  whole(name: string, range: { otherwise: number; least: number; most: number }): number {
    const value = this.#values[name] ?? range.otherwise;
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new ToolProblem(`"${name}" must be a number from ${range.least} to ${range.most}`);
    return Math.min(range.most, Math.max(range.least, Math.floor(value)));
  }

  optionalWhole(name: string): number | undefined {
    return this.#values[name] === undefined || this.#values[name] === null
      ? undefined
      : this.whole(name, { otherwise: 1, least: 1, most: Number.MAX_SAFE_INTEGER });
  }

  /** One of these words. */
  word<Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word {
    const value = this.#values[name] ?? otherwise;
    const found = words.find((word) => word === value);
    if (found === undefined)
      throw new ToolProblem(`"${name}" is ${JSON.stringify(value)}; allowed: ${words.join(', ')}`);
    return found;
  }

  /** A list of texts; a single text is a list of one. */
  texts(...names: readonly string[]): readonly string[] {
    const found = this.#find(names);
    if (!found) return [];
    const list: readonly unknown[] = Array.isArray(found.value) ? found.value : [found.value];
    const texts = list.filter((entry) => typeof entry === 'string');
    if (texts.length < list.length) throw new ToolProblem(`"${found.name}" must be a list of texts`);
    return texts;
  }

  time(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const at = new Date(text);
    if (Number.isNaN(at.getTime()))
      throw new ToolProblem(
        `"${name}" is ${JSON.stringify(text)}; an ISO time such as 2026-11-29T19:20:00Z is needed`,
      );
    return at;
  }

  #find(names: readonly string[]): { name: string; value: unknown } | null {
    const name = names.find((key) => this.#values[key] !== undefined && this.#values[key] !== null);
    return name === undefined ? null : { name, value: this.#values[name] };
  }
}

/** The arguments of a call as an object. throws ToolProblem */
export function parseArguments(text: string): ToolArguments {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return new ToolArguments(value as Record<string, unknown>);
  } catch {
    // Told below.
  }
  throw new ToolProblem('the arguments are not a JSON object; send them again as one');
}
