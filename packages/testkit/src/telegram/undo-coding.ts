/** Turns coded parameters into typed ones: strings of forms become what the schema says they are. */
import type { RawCall } from './read-call.ts';
import type { FieldSpec, MethodSpec } from './schema.ts';
import type { Params } from './types.ts';
import type { UploadedFile } from './uploaded-file.ts';

const ATTACH = 'attach://';

/** Typed parameters and what was wrong on the way. */
export interface DecodedCall {
  readonly params: Params;
  readonly problems: string[];
}

/** Undo the transport coding of one call; values that cannot be undone stay strings and fail the schema. */
export function undoCoding(method: MethodSpec, call: RawCall): DecodedCall {
  const fields = new Map((method.fields ?? []).map((field) => [field.name, field]));
  const params: Params = {};
  const problems = [...call.problems];
  for (const [name, value] of call.fields) {
    if (name in params) problems.push(`${method.name}: ${name} is given twice`);
    const text = typeof value === 'string' ? value : undefined;
    const field = fields.get(name);
    const attached = text === undefined ? undefined : attachedFile(field, text, call);
    const decoded = text !== undefined && call.coding === 'form' ? decode(field, text) : value;
    params[name] = attached ?? decoded;
  }
  problems.push(...placeFiles(method, call, params));
  return { params, problems };
}

function attachedFile(field: FieldSpec | undefined, text: string, call: RawCall): UploadedFile | undefined {
  if (!field?.types.includes('InputFile') || !text.startsWith(ATTACH)) return undefined;
  return call.files.get(text.slice(ATTACH.length));
}

/** File parts stand for the parameter of their name, or are named by an attach:// somewhere. */
function placeFiles(method: MethodSpec, call: RawCall, params: Params): string[] {
  const problems: string[] = [];
  const named = JSON.stringify(call.fields);
  for (const [name, file] of call.files) {
    const field = method.fields?.find((candidate) => candidate.name === name);
    if (field) params[name] = file;
    else if (!named.includes(`${ATTACH}${name}`))
      problems.push(`${method.name}: file part ${name} belongs to nothing`);
  }
  return problems;
}

function decode(field: FieldSpec | undefined, text: string): unknown {
  const types = field?.types ?? ['String'];
  if (types.includes('Integer') && /^-?\d{1,16}$/.test(text)) return Number(text);
  if (types.includes('String')) return text;
  if (types.includes('Float') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  if (types.includes('Boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
