/** What a tool server offers, in the part that every route of a model takes. */
import { expect, test } from 'vitest';
import { cleanParameters } from '../../packages/providers/src/mcp/clean-schema.ts';
import { expandValues } from '../../packages/providers/src/mcp/expand-values.ts';
import { lineReader } from '../../packages/providers/src/mcp/read-lines.ts';
import { readTools } from '../../packages/providers/src/mcp/read-tools.ts';
import { toolName } from '../../packages/providers/src/mcp/tool-names.ts';

test('a plain schema stays as it is, but for what only speaks of schemas', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { path: { type: 'string', description: 'where', enum: ['a', 'b'] } },
    required: ['path'],
    additionalProperties: false,
  };

  expect(cleanParameters(schema)).toEqual({
    type: 'object',
    properties: { path: { type: 'string', description: 'where', enum: ['a', 'b'] } },
    required: ['path'],
    additionalProperties: false,
  });
});

test.each([[undefined], [null], ['text'], [{}], [{ type: 'object' }], [{ type: ['object', 'null'] }]])(
  'what says nothing of parameters takes any object (%j)',
  (schema) => {
    expect(cleanParameters(schema)).toEqual({ type: 'object', properties: {} });
  },
);

test('a choice at the top, which both dialects refuse, is dropped there and kept further down', () => {
  const choice = [{ type: 'string' }, { type: 'number' }];

  expect(cleanParameters({ anyOf: choice, properties: { a: { anyOf: choice } } })).toEqual({
    type: 'object',
    properties: { a: { anyOf: choice } },
  });
});

test('references are written out, and a circle becomes anything', () => {
  const schema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, other: { $ref: 'https://example.org/schema' } },
    $defs: {
      node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } },
    },
  };

  expect(cleanParameters(schema)).toEqual({
    type: 'object',
    properties: {
      tree: { type: 'object', properties: { name: { type: 'string' }, next: {} } },
      other: {},
    },
  });
});

test('an array says what it holds, and a tuple is one of anything', () => {
  const schema = {
    properties: { list: { type: 'array' }, pair: { type: 'array', items: [{ type: 'string' }] } },
  };

  expect(cleanParameters(schema)?.['properties']).toEqual({
    list: { type: 'array', items: {} },
    pair: { type: 'array', items: {} },
  });
});

test('a parameter with a name that no route lets through is left out; where it is needed, the tool is', () => {
  const properties = { 'a b': { type: 'string' }, c: { type: 'string' } };

  expect(cleanParameters({ properties, required: ['c'] })).toEqual({
    type: 'object',
    properties: { c: { type: 'string' } },
    required: ['c'],
  });
  expect(cleanParameters({ properties, required: ['a b'] })).toBeNull();
});

test('a schema that would eat the window takes any object instead', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string', title: 'x'.repeat(50) }]),
  );

  expect(cleanParameters({ properties })).toEqual({ type: 'object', properties: {} });
});

test('references that multiply at every level take any object instead, at once', () => {
  const names = [...'abcdefgh'];
  const doubled = (to: string): object => ({
    properties: Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: `#/$defs/${to}` }]),
    ),
  });
  const $defs = Object.fromEntries(names.map((name, at) => [name, doubled(names[at + 1] ?? 'none')]));

  expect(cleanParameters({ $defs, ...doubled('a') })).toEqual({ type: 'object', properties: {} });
});

test('a schema without bottom ends', () => {
  let deep: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < 5_000; level++) deep = { properties: { in: deep } };

  expect(JSON.stringify(cleanParameters(deep)).length).toBeLessThan(500);
});

test.each([
  ['files', 'read', 'files_read'],
  ['files', 'read file/v2', 'files_read_file_v2'],
  ['lcm', 'grep', 'mcp_lcm_grep_1fc5519e'],
])('the tool %s %s is named %s', (server, tool, name) => {
  expect(toolName(server, tool, new Set())).toBe(name);
});

test('names are at most 64 long, and two that would be the same differ', () => {
  const long = toolName('server', 'a'.repeat(100), new Set());
  const first = toolName('s', 'a.b', new Set());
  const second = toolName('s', 'a b', new Set([first]));

  expect(long).toMatch(/^[a-zA-Z0-9_-]{64}$/);
  expect(first).toBe('s_a_b');
  expect(second).toMatch(/^s_a_b_[0-9a-f]{8}$/);
  expect(toolName('server', 'a'.repeat(100), new Set())).toBe(long);
});

test('tools come in the order of their names whatever order the server has, and no rubbish among them', () => {
  const offered = [
    { name: 'b', description: ' Second. ', inputSchema: { type: 'object' } },
    null,
    { name: 'a', title: 'First', annotations: { readOnlyHint: true } },
    { name: 17 },
    { name: 'a', description: 'again' },
    'text',
  ];

  expect(
    readTools('s', offered).map((tool) => [tool.schema.name, tool.schema.description, tool.repeatable]),
  ).toEqual([
    ['s_a', 'First', true],
    ['s_b', 'Second.', false],
  ]);
  expect(
    JSON.stringify(
      readTools(
        's',
        offered.toReversed().filter((item) => item !== offered[4]),
      ),
    ),
  ).toBe(JSON.stringify(readTools('s', offered)));
});

test('variables are put in wherever they are named; what is not set is named', () => {
  const values = { a: 'Bearer ${TOKEN}', b: '${HOST}:${PORT}', c: 'plain $HOME' };

  expect(expandValues(values, { TOKEN: 't', HOST: 'h', PORT: '' })).toEqual({
    values: { a: 'Bearer t', b: 'h:', c: 'plain $HOME' },
    missing: ['PORT'],
  });
});

test('lines are found wherever the pieces break, also inside a character', () => {
  const read = lineReader(100);
  const bytes = Buffer.from('größe\nzwei\n\nrest');

  const lines = [...bytes].flatMap((byte) => read(Buffer.from([byte])) ?? ['refused']);

  expect(lines).toEqual(['größe', 'zwei', '']);
  expect(read(Buffer.alloc(101, 'x'))).toBeNull();
});
