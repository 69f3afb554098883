import { stringify } from 'yaml';
import { z } from 'zod';
import { configSchema, defaultConfig } from './schema.ts';

/** What is read of the schema's JSON form. */
interface Shape {
  description?: string;
  default?: unknown;
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Readonly<Record<string, Shape>>;
  additionalProperties?: Shape | boolean;
  anyOf?: readonly Shape[];
}

const width = 110;

/**
 * The whole config with the defaults, as YAML: every key with what it means and what is allowed. Entries that operators name
 * themselves stand as comments.
 */
export function exampleConfig(): string {
  const shape = z.toJSONSchema(configSchema, { unrepresentable: 'any' }) as Shape;
  return [
    '# Every key of config.yaml with its default. Copy what you change: a file with those keys alone is enough.',
    '# Secrets stand in the environment or .env, never here. This file is made by: palimpsest config example',
    '',
    ...sectionLines(shape, defaultConfig(), 0),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** `values`: what holds where nothing is written; left out for an entry that operators name themselves. */
function sectionLines({ properties = {} }: Shape, values: object | undefined, depth: number): string[] {
  return Object.entries(properties).flatMap(([key, shape]) => {
    const value = values ? (values as Record<string, unknown>)[key] : shape.default;
    const lines = keyLines(key, { ...shape, default: value }, depth);
    return depth === 0 ? [...lines, ''] : lines;
  });
}

function keyLines(key: string, shape: Shape, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const comments = explanation(shape).flatMap((line) => wrap(line, width - indent.length - 2));
  const above = comments.map((line) => `${indent}# ${line}`);
  if (shape.properties)
    return [
      ...above,
      `${indent}${key}:`,
      ...sectionLines(shape, (shape.default ?? undefined) as object | undefined, depth + 1),
    ];
  const entry = typeof shape.additionalProperties === 'object' ? shape.additionalProperties : null;
  const value = stringify(shape.default ?? null, { flow: true, lineWidth: 0 } as object).trim();
  const line = `${indent}${key}: ${value}`;
  if (!entry?.properties) return [...above, line];
  const example = sectionLines(entry, undefined, depth + 2).map((one) => `# ${one}`);
  return [...above, line, `# ${indent}  NAME:`, ...example];
}

/** Meaning, then what is allowed where the meaning does not name it. */
function explanation(shape: Shape): string[] {
  const allowed = allowedWords(shape);
  const words = [shape.description, allowed].filter((one) => one !== undefined && one !== '');
  return words.length === 0 ? [] : [words.join('; ')];
}

function allowedWords(shape: Shape): string {
  if (shape.enum) return `one of ${shape.enum.join(', ')}`;
  const options = shape.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  const only = options[0];
  if (shape.anyOf && options.length === 1 && only) {
    const words = allowedWords(only);
    return words === '' ? '' : `${words}, or null`;
  }
  const { minimum, maximum, type } = shape;
  if (type !== 'number' && type !== 'integer') return '';
  const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? null : maximum;
  const least = minimum === undefined || minimum <= -Number.MAX_SAFE_INTEGER ? null : minimum;
  if (least !== null && most !== null) return `${least} to ${most}`;
  if (least !== null) return `at least ${least}`;
  return most === null ? '' : `at most ${most}`;
}

function wrap(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.length - 1;
    const longer = lines[last] === '' ? word : `${lines[last]} ${word}`;
    if (longer.length > columns && lines[last] !== '') lines.push(word);
    else lines[last] = longer;
  }
  return lines;
}
