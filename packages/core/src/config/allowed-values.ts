/** What the schema accepts at a key, in words, for error messages. */
import { configSchema } from './schema.ts';

/** The parts of a zod schema that are looked at; every field is there only for some kinds. */
interface SchemaView {
  def: {
    type: string;
    innerType?: SchemaView;
    in?: SchemaView;
    element?: SchemaView;
    valueType?: SchemaView;
    entries?: Record<string, string>;
    values?: readonly unknown[];
    format?: string;
  };
  shape?: Record<string, SchemaView>;
  isInt?: boolean;
  minValue?: number | null;
  maxValue?: number | null;
}

/** Words for the values that may stand at a path of the config file; null where the schema knows no such key. */
export function allowedValues(path: readonly PropertyKey[]): string | null {
  const schema = schemaAt(path);
  if (!schema) return null;
  const words = wordsOf(bare(schema));
  return isNullable(schema) ? `${words}, or null` : words;
}

/** The keys the schema knows at a path. */
export function allowedKeys(path: readonly PropertyKey[]): string[] {
  return Object.keys(bare(schemaAt(path))?.shape ?? {});
}

/** A key as people write it as a path: below a section with free names (model_thresholds) the rest is one name, dots and all. */
export function configPath(key: string): string[] {
  const path: string[] = [];
  let schema = bare(configSchema as unknown as SchemaView);
  for (let rest = key; rest !== '';) {
    const dot = schema?.def.valueType ? -1 : rest.indexOf('.');
    const name = dot === -1 ? rest : rest.slice(0, dot);
    rest = dot === -1 ? '' : rest.slice(dot + 1);
    path.push(name);
    schema = bare(schema?.shape?.[name] ?? schema?.def.valueType);
  }
  return path;
}

function schemaAt(path: readonly PropertyKey[]): SchemaView | undefined {
  let schema: SchemaView | undefined = configSchema as unknown as SchemaView;
  for (const key of path) {
    const parent = bare(schema);
    schema = parent?.shape?.[String(key)] ?? parent?.def.valueType ?? parent?.def.element;
  }
  return schema;
}

/** Defaults, null and transforms taken off. */
function bare(schema: SchemaView | undefined): SchemaView | undefined {
  let current = schema;
  while (current?.def.innerType ?? current?.def.in) current = current?.def.innerType ?? current?.def.in;
  return current;
}

function isNullable(schema: SchemaView): boolean {
  for (
    let current: SchemaView | undefined = schema;
    current;
    current = current.def.innerType ?? current.def.in
  )
    if (current.def.type === 'nullable') return true;
  return false;
}

function wordsOf(schema: SchemaView | undefined): string {
  switch (schema?.def.type) {
    case 'boolean':
      return 'true or false';
    case 'number':
      return numberWords(schema);
    case 'string':
      return schema.def.format === 'url'
        ? 'a URL such as https://example.org/path'
        : 'a text (in quotes if it looks like a number)';
    case 'enum':
      return Object.values(schema.def.entries ?? {}).join(', ');
    case 'literal':
      return (schema.def.values ?? []).map(String).join(', ');
    case 'array':
      return `a list of: ${wordsOf(bare(schema.def.element))}`;
    case 'record':
      return `keys with values of: ${wordsOf(bare(schema.def.valueType))}`;
    case 'union':
      return 'numeric ids; names are never compared, /whoami shows the id';
    case 'object':
      return `a section with the keys ${Object.keys(schema.shape ?? {}).join(', ')} (or leave the line out)`;
    default:
      return 'another value';
  }
}

function numberWords({ isInt, minValue, maxValue }: SchemaView): string {
  const kind = isInt ? 'a whole number' : 'a number';
  const least = bound(minValue);
  const most = bound(maxValue);
  if (least !== null && most !== null) return `${kind} from ${least} to ${most}`;
  if (least !== null) return `${kind}, ${least} or more`;
  return most === null ? kind : `${kind}, ${most} or less`;
}

/** zod gives the borders of the exact integers where none was set. */
function bound(value: number | null | undefined): number | null {
  return value == null || !Number.isFinite(value) || Math.abs(value) >= Number.MAX_SAFE_INTEGER
    ? null
    : value;
}
