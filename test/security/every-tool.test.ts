/**
 * Whatever a model names in any argument of any tool it is given, what belongs to somebody else is not there. The tools are
 * those of the requests, so a new one is tried without a word here.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ModelScript, ScriptRequest } from '@palimpsest/testkit';
import { queryDatabase } from '@palimpsest/testkit';
import { openTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const secret = 'walnut';
const hidden = 'under the stairs';
const text = `the ${secret} is ${hidden}`;
const payloadId = createHash('sha256').update(text).digest('hex');
const summaryId = `sum_${'a'.repeat(64)}`;
const fileId = `file_${payloadId.slice(0, 16)}`;

interface Parameter {
  type?: string;
  enum?: readonly string[];
  items?: Parameter;
  properties?: Readonly<Record<string, Parameter>>;
  required?: readonly string[];
}

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** A conversation of somebody's with a stored text and a summary; the names of all of them. */
async function thingsOf(owner: string, world: TurnWorld, engine: string): Promise<readonly string[]> {
  const rows = ['one', 'two', 'three'].map((word) => ({
    role: 'user' as const,
    kind: 'person' as const,
    parts: [{ type: 'text' as const, text: `${word}: ${text}` }],
    tokens: 12,
    payloads: [{ id: payloadId, mime: 'text/plain', text }],
  }));
  const id = await world.history.importRows({
    account: { platform: 'local', id: 'local' },
    place: { chatId: 'elsewhere', threadId: '', kind: 'direct' },
    sender: { id: owner, name: 'Ada', isBot: false },
    engine,
    rows,
  });
  const sql = (statement: string, ...values: unknown[]) =>
    queryDatabase(world.databaseUrl, statement, [id, ...values]);
  await sql('UPDATE chats SET user_id = $2 WHERE session_id = $1', owner);
  await sql(
    `INSERT INTO lcm_summaries (session_id, id, kind, depth, content, tokens, earliest_at, latest_at, descendant_count,
       descendant_tokens, source_message_tokens, file_ids, escalation, tsv)
     VALUES ($1, $2, 'leaf', 0, $3, 5, now(), now(), 0, 0, 12, '{}', 'normal', to_tsvector('simple', $3))`,
    summaryId,
    text,
  );
  const [first] = (await sql(
    'SELECT id::text AS id FROM messages WHERE session_id = $1 ORDER BY seq LIMIT 1',
  )) as {
    id: string;
  }[];
  return [id, first!.id, payloadId, summaryId, fileId, secret, `${secret}.*`];
}

function plainValue({ type, enum: choices, items, properties, required = [] }: Parameter): unknown {
  if (choices) return choices[0];
  if (type === 'array') return [plainValue(items ?? {})];
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, plainValue(properties?.[name] ?? {})]));
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? true : secret;
}

/** Every value that an argument of this shape may take to mean something of the other conversation. */
function namingValues(shape: Parameter, names: readonly string[]): readonly unknown[] {
  if (shape.enum) return shape.enum;
  if (shape.type === 'array') return namingValues(shape.items ?? {}, names).map((value) => [value]);
  if (shape.type === 'boolean') return [true];
  if (shape.type === 'object')
    return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) =>
      namingValues(inner, names).map((value) => ({ ...(plainValue(shape) as object), [name]: value })),
    );
  const isNumber = shape.type === 'integer' || shape.type === 'number';
  return isNumber ? names.filter((name) => /^\d+$/.test(name)).map(Number) : names;
}

/** Each argument with each name, the others as required or, in a second round, all given. */
function callsOf(tool: { name: string; input_schema: Parameter }, names: readonly string[]): ToolCall[] {
  const { properties = {}, required = [] } = tool.input_schema;
  const all = Object.entries(properties);
  const bases = [all.filter(([name]) => required.includes(name)), all].map((given) =>
    Object.fromEntries(given.map(([name, shape]) => [name, plainValue(shape)])),
  );
  return bases.flatMap((base) =>
    all.flatMap(([name, shape]) =>
      namingValues(shape, names).map((value) => ({ name: tool.name, arguments: { ...base, [name]: value } })),
    ),
  );
}

const callsAtOnce = 20;

/** One turn of the person `local` in which the model tries every call; `owner` wrote the other conversation. */
async function tryAll(engine: string, owner: string) {
  const requests: string[] = [];
  const tried: string[] = [];
  let names: readonly string[] = [];
  let calls: ToolCall[] | undefined;
  const script: ModelScript = (request: ScriptRequest) => {
    requests.push(JSON.stringify(request.raw));
    // Asked by a tool, without tools of its own.
    if (request.tools.length === 0) return { text: 'nothing' };
    const { tools } = request.raw as unknown as { tools: { name: string; input_schema: Parameter }[] };
    calls ??= tools.flatMap((tool) => callsOf(tool, names));
    const next = calls.splice(0, callsAtOnce);
    tried.push(...next.map((call) => call.name));
    if (next.length === 0) return { text: 'done' };
    return { toolCalls: next.map((call, index) => ({ id: `toolu_${tried.length}_${index}`, ...call })) };
  };
  await using world = await openTurnWorld({
    script,
    summariser: script,
    window: 1_000_000,
    config: `context: {engine: ${engine}}\nagent: {max_steps: 400}`,
  });
  names = await thingsOf(owner, world, engine);
  await world.say('what was written?');
  return { heard: await world.hear(1), rows: JSON.stringify(await world.rows()), requests, tried };
}

test.each([['compressor'], ['lcm'], ['dcp']])(
  'under the engine %s no tool gives what somebody else wrote',
  async (engine) => {
    const { heard, rows, requests, tried } = await tryAll(engine, 'ada');

    expect(heard).toEqual(['done']);
    expect(tried).toContain('session_search');
    expect(rows.split('"tool_result"').length - 1).toBe(tried.length);
    expect(rows).not.toContain(hidden);
    expect(requests.filter((request) => request.includes(hidden))).toEqual([]);
  },
  120_000,
);

test('the same calls open it to the person who wrote it', async () => {
  const { rows } = await tryAll('lcm', 'local');

  expect(rows).toContain(hidden);
}, 120_000);
