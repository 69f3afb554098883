/** Walks a value along the schema and lists what does not fit. */
import type { BotApiSchema, FieldSpec, MethodSpec } from './schema.ts';
import { isObject, type Params } from './types.ts';
import { UploadedFile } from './uploaded-file.ts';

const ARRAY = 'Array of ';
// Only these fields tell the members of a union apart; other fields use "must be" in looser senses.
const DISCRIMINATORS = new Set(['type', 'source', 'status']);
const CONSTANT = /(?:always|must be) "?([a-z_0-9]+)"?\.?$/;

/** Checks values against one schema; holds no other state. */
export class SchemaChecker {
  readonly schema: BotApiSchema;

  constructor(schema: BotApiSchema) {
    this.schema = schema;
  }

  /**
   * Compare a value with a union of type names.
   *
   * path     how to name the value in the answer, for example `Update.message`
   * returns  one sentence for each fault; empty if one of the types fits
   */
  check(types: readonly string[], value: unknown, path: string): string[] {
    const answers = types.map((type) => this.#checkOne(type, value, path));
    return answers.reduce((best, next) => (next.length < best.length ? next : best));
  }

  /** Compare the parameters of a call with the method's list. */
  checkParams(method: MethodSpec, params: Params): string[] {
    return this.#checkFields(method.fields ?? [], params, method.name);
  }

  #checkOne(type: string, value: unknown, path: string): string[] {
    if (type.startsWith(ARRAY)) return this.#checkArray(type.slice(ARRAY.length), value, path);
    if (fitsScalar(type, value)) return [];
    const spec = this.schema.types[type];
    if (spec?.subtypes) return this.check(spec.subtypes, value, path);
    if (!spec || type === 'InputFile' || !isObject(value)) {
      return [`${path}: ${nameOf(value)} is not ${type}`];
    }
    return this.#checkFields(spec.fields ?? [], value, path);
  }

  #checkArray(type: string, value: unknown, path: string): string[] {
    if (!Array.isArray(value)) return [`${path}: ${nameOf(value)} is not ${ARRAY}${type}`];
    return value.flatMap((item: unknown, index) => this.check([type], item, `${path}[${index}]`));
  }

  #checkFields(fields: readonly FieldSpec[], value: Params, path: string): string[] {
    const known = new Map(fields.map((field) => [field.name, field]));
    const unlisted = Object.keys(value).filter((name) => !known.has(name));
    return [
      ...unlisted.map((name) => `${path}: ${name} is not in the schema`),
      ...fields.flatMap((field) => this.#checkField(field, value[field.name], `${path}.${field.name}`)),
    ];
  }

  #checkField(field: FieldSpec, value: unknown, path: string): string[] {
    if (value === undefined) return field.required ? [`${path}: is required`] : [];
    const constant = DISCRIMINATORS.has(field.name) ? CONSTANT.exec(field.description)?.[1] : undefined;
    if (constant !== undefined && value !== constant) return [`${path}: must be "${constant}"`];
    return this.check(field.types, value, path);
  }
}

function fitsScalar(type: string, value: unknown): boolean {
  switch (type) {
    case 'Integer':
      return Number.isSafeInteger(value);
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'String':
      return typeof value === 'string';
    case 'InputFile':
      return value instanceof UploadedFile;
    default:
      return false;
  }
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
