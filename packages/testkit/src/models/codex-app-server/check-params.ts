import { isJson, listOf, textOf, unknownField } from '../json.ts';
import type { Json } from '../json.ts';
import { Refused } from './wire.ts';

const THREAD_FIELDS = [
  'model',
  'modelProvider',
  'cwd',
  'approvalPolicy',
  'sandbox',
  'config',
  'baseInstructions',
  'developerInstructions',
];
/** What we send of each request; the real server ignores what it does not know, here it is a fault of ours. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  initialize: ['clientInfo', 'capabilities'],
  'config/read': ['includeLayers'],
  'thread/start': [...THREAD_FIELDS, 'ephemeral'],
  'thread/resume': [...THREAD_FIELDS, 'threadId', 'excludeTurns'],
  'thread/unsubscribe': ['threadId'],
  'turn/start': ['threadId', 'input'],
  'turn/interrupt': ['threadId', 'turnId'],
  'thread/compact/start': ['threadId'],
};
const POLICIES = ['untrusted', 'on-failure', 'on-request', 'never'];
const SANDBOXES = ['read-only', 'workspace-write', 'danger-full-access'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** throws Refused where the real server refuses, and for fields that it would ignore */
export function checkParams(method: string, params: Json): void {
  const fields = FIELDS[method];
  if (!fields) {
    const names = Object.keys(FIELDS).map((name) => `\`${name}\``);
    throw new Refused(`Invalid request: unknown variant \`${method}\`, expected one of ${names.join(', ')}`);
  }
  const extra = unknownField(params, new Set(fields));
  if (extra !== undefined) throw new Refused(`Invalid request: unknown field \`${extra}\``);
  if (method === 'initialize') return checkClient(params['clientInfo']);
  oneOf(params, 'approvalPolicy', POLICIES);
  oneOf(params, 'sandbox', SANDBOXES);
  if (fields.includes('threadId')) checkThreadId(params['threadId']);
  if (method === 'turn/start') checkInput(params['input']);
}

function checkClient(client: unknown): void {
  const missing = ['name', 'version'].find((name) => !isJson(client) || textOf(client[name]) === '');
  if (missing) throw new Refused(`Invalid request: missing field \`${missing}\``);
}

function oneOf(params: Json, name: string, allowed: readonly string[]): void {
  const value = params[name];
  if (value === undefined || value === null || allowed.includes(textOf(value))) return;
  throw new Refused(
    `Invalid request: unknown variant \`${String(value)}\`, expected one of ${allowed.join(', ')}`,
  );
}

function checkThreadId(id: unknown): void {
  if (typeof id !== 'string') throw new Refused('Invalid request: missing field `threadId`');
  if (!UUID.test(id))
    throw new Refused(
      `invalid thread id: invalid character: expected an optional prefix of \`urn:uuid:\` followed by [0-9a-fA-F-], found \`${id.charAt(0)}\` at 1`,
    );
}

function checkInput(input: unknown): void {
  const items = listOf(input);
  if (items.length === 0) throw new Refused('Invalid request: missing field `input`');
  for (const item of items) {
    if (!isJson(item) || item['type'] !== 'text')
      throw new Refused('Invalid request: unknown variant, expected `text`');
    if (typeof item['text'] !== 'string') throw new Refused('Invalid request: missing field `text`');
    if (!Array.isArray(item['text_elements']))
      throw new Refused('Invalid request: missing field `text_elements`');
  }
}
