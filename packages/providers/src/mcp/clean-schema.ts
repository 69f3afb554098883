type Schema = Record<string, unknown>;

/** Deeper than this a model would not follow anyway. */
const maxDepth = 8;
/** A tool whose parameters are longer than this would eat the window; it takes any object then. */
const maxCharacters = 20_000;
/** References to references can write out to more than any memory holds, so only so many schemas are looked at. */
const maxSchemas = 4_000;
/** Anthropic refuses a request in which a parameter is named otherwise. */
const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Said about a schema, not about values; some compatible servers refuse a request because of one. */
const dropped = new Set(['$schema', '$id', '$anchor', '$comment', '$defs', 'definitions', '$dynamicAnchor']);
/** Both dialects refuse these at the top. */
const notAtTop = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', 'if', 'then', 'else', 'const'];
const anyObject: Schema = { type: 'object', properties: {} };

/**
 * The parameters of a tool in the part of JSON schema that every route takes: an object at the top with `properties`,
 * no reference (they are written out; a circle becomes "anything"), arrays with `items`.
 * returns  null when the tool cannot be called: a parameter it needs has a name that no route lets through
 */
export function cleanParameters(schema: unknown): Schema | null {
  if (!isObject(schema)) return anyObject;
  const left = { schemas: maxSchemas };
  const cleaned = clean(schema, { root: schema, open: [], depth: 0, left });
  for (const key of notAtTop) delete cleaned[key];
  cleaned['type'] = 'object';
  if (!isObject(cleaned['properties'])) cleaned['properties'] = {};
  const needed = (schema['required'] as unknown[] | undefined) ?? [];
  if (Array.isArray(needed) && needed.some((name) => typeof name === 'string' && !parameterName.test(name)))
    return null;
  if (left.schemas <= 0) return anyObject;
  return JSON.stringify(cleaned).length > maxCharacters ? anyObject : cleaned;
}

interface Place {
  root: Schema;
  /** References being written out around here. */
  open: readonly string[];
  depth: number;
  /** Of this tool, counted down. */
  left: { schemas: number };
}

function clean(schema: Schema, place: Place): Schema {
  if (place.depth > maxDepth || place.left.schemas-- <= 0) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') return writeOut(schema, reference, place);
  const inside = { ...place, depth: place.depth + 1 };
  const entries = Object.entries(schema)
    .filter(([key]) => !dropped.has(key))
    .map(([key, value]) => [key, cleanValue(key, value, inside)] as const);
  const cleaned: Schema = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  if (cleaned['type'] === 'array' && !isObject(cleaned['items'])) cleaned['items'] = {};
  return withKnownRequired(cleaned);
}

function writeOut(schema: Schema, reference: string, place: Place): Schema {
  const target = place.open.includes(reference) ? undefined : resolve(reference, place.root);
  if (!isObject(target)) return {};
  const { $ref: _reference, ...beside } = schema;
  return clean({ ...target, ...beside }, { ...place, open: [...place.open, reference] });
}

/** `#/$defs/name` and the like; references elsewhere are not followed. */
function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function cleanValue(key: string, value: unknown, place: Place): unknown {
  switch (key) {
    case 'properties':
      return isObject(value) ? cleanProperties(value, place) : undefined;
    case 'items':
    case 'additionalProperties':
    case 'not':
      // A list of items (a tuple) is refused by one route, so only what they have in common is left.
      return isObject(value) ? clean(value, place) : typeof value === 'boolean' ? value : undefined;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) ? value.filter(isObject).map((each) => clean(each, place)) : undefined;
    case 'description':
      return typeof value === 'string' ? value.slice(0, 1_024).toWellFormed() : undefined;
    default:
      return value;
  }
}

function cleanProperties(properties: Schema, place: Place): Schema {
  const entries = Object.entries(properties)
    .filter(([name]) => parameterName.test(name))
    .map(([name, value]) => [name, isObject(value) ? clean(value, place) : {}] as const);
  return Object.fromEntries(entries);
}

function withKnownRequired(schema: Schema): Schema {
  const { required, properties } = schema;
  if (!Array.isArray(required)) {
    const { required: _wrong, ...rest } = schema;
    return rest;
  }
  const known = required.filter((name) => isObject(properties) && Object.hasOwn(properties, String(name)));
  return { ...schema, required: known };
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
