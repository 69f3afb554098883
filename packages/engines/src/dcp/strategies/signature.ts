/**
 * What makes two tool calls the same: the tool and its parameters, keys sorted at every depth, array order kept,
 * top-level nulls left out. Arguments that are no JSON object count as they stand.
 */
export function signatureOf(name: string, argumentsText: string): string {
  return `${name} ${canonicalArguments(argumentsText)}`;
}

function canonicalArguments(text: string): string {
  const value = parseObject(text);
  if (!value) return text.trim();
  const given = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  try {
    return JSON.stringify(sorted(Object.fromEntries(given)));
  } catch {
    return text.trim(); // Nested beyond what the stack takes.
  }
}

/** The arguments of a call as an object; null where they are none. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
