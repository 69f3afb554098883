/** Checks request bodies against Discord's OpenAPI document, which the fake is handed as a file. */
import { readFile } from 'node:fs/promises';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isObject } from './is-object.ts';

/** What is wrong with a body; `ignorable` when Discord itself would only ignore the unknown field. */
export interface SchemaComplaint {
  text: string;
  ignorable: boolean;
}

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
}

const documentId = 'discord';

export class RequestSchemas {
  readonly #document: OpenApi;
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  private constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false });
    this.#ajv.addFormat('snowflake', /^(0|[1-9]\d*)$/);
    for (const free of ['nonce', 'date-time', 'uri']) this.#ajv.addFormat(free, true);
    for (const number of ['int32', 'int64', 'double'])
      this.#ajv.addFormat(number, { type: 'number', validate: () => true });
    this.#ajv.addSchema(document, documentId);
  }

  /** Load the document; throws when the file is missing or is no OpenAPI document. */
  static async load(path: string): Promise<RequestSchemas> {
    const document: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isObject(document) || !isObject(document['paths']))
      throw new Error(`${path} is no OpenAPI document: it has no "paths"`);
    closeObjects(document, false);
    correctDocument(document);
    return new RequestSchemas(document as unknown as OpenApi);
  }

  /** Templates of all documented paths. */
  get paths(): string[] {
    return Object.keys(this.#document.paths);
  }

  /** Compare a body with its schema; an empty list when it fits or when no body is documented. */
  check(method: string, template: string, body: unknown): SchemaComplaint[] {
    const validate = this.#validator(method, template);
    if (validate === undefined || validate(body)) return [];
    return (validate.errors ?? []).map(complain);
  }

  #validator(method: string, template: string): ValidateFunction | undefined {
    const key = `${method} ${template}`;
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const operation = this.#document.paths[template]?.[method.toLowerCase()];
    if (!isObject(operation) || !isObject(operation['requestBody'])) return undefined;
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema',
    ];
    const validate = this.#ajv.compile({ $ref: `${documentId}#/${pointer.map(escapePointer).join('/')}` });
    this.#compiled.set(key, validate);
    return validate;
  }
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function complain(error: ErrorObject): SchemaComplaint {
  const where = error.instancePath === '' ? 'the body' : error.instancePath;
  if (error.keyword !== 'additionalProperties')
    return { text: `${where} ${error.message}`, ignorable: false };
  const name = (error.params as { additionalProperty: string }).additionalProperty;
  return { text: `${where} has the unknown field "${name}"`, ignorable: error.instancePath === '' };
}

/**
 * Forbid fields the document does not list: Discord ignores them in silence, so a misspelt one
 * would never be noticed. Members of an allOf are left open, they only describe a part.
 */
function closeObjects(node: unknown, insideAllOf: boolean): void {
  if (Array.isArray(node)) return node.forEach((item) => closeObjects(item, insideAllOf));
  if (!isObject(node)) return;
  if (isObject(node['properties']) && node['additionalProperties'] === undefined && !insideAllOf)
    node['additionalProperties'] = false;
  for (const [key, value] of Object.entries(node)) closeObjects(value, key === 'allOf');
}

/** Known mistakes of the document: real Discord takes, and clients send, permissions as decimal strings. */
function correctDocument(node: unknown): void {
  if (Array.isArray(node)) return node.forEach(correctDocument);
  if (!isObject(node)) return;
  const properties = node['properties'];
  if (isObject(properties) && isObject(properties['default_member_permissions'])) {
    properties['default_member_permissions'] = { type: ['string', 'integer', 'null'] };
  }
  Object.values(node).forEach(correctDocument);
}
